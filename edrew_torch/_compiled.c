/* The inner loops of reading a page, compiled: same answers, a fraction of the time.
 *
 *   TreeBuilder       parse/lxml_events.py, PythonTreeBuilder
 *   attribute_marks   retps.py, python_attribute_marks
 *   read_chains       retps.py, python_read_chains
 *   tree_sums         records/tree_ensemble.py, python_tree_sums
 *
 * Optional: without a compiler the Python twins serve. tests/test_compiled.py holds each pair against each other.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* ---- TreeBuilder ----
 * lxml calls start, end, data, comment and pi while it reads a page, about 3,000 calls a page; they write straight
 * into growing int32 buffers:
 *
 *   tag[i]      id of the element's name in `names`, TEXT or BLANK for a text node (tree.py)
 *   parent[i]   index of the parent element, -1 for a root
 *   payload[i]  the element's attributes (a dict, or None for none), or the text
 */
enum { TEXT = -1, BLANK = -2 }; /* as in tree.py */

typedef struct {
    PyObject_HEAD
    int32_t *tag;
    int32_t *parent;
    Py_ssize_t length, capacity;
    int32_t open;         /* innermost open element, -1 outside the root */
    PyObject *payload;    /* list */
    PyObject *names;      /* dict: element name -> id, in order of first sight */
    PyObject *pending;    /* text read since the last event that ends a text node, or NULL */
    PyObject *chunks;     /* list: pending is cut in more than two pieces, or NULL */
} Builder;

static int
builder_clear_state(Builder *self)
{
    self->length = 0;
    self->open = -1;
    Py_CLEAR(self->pending);
    Py_CLEAR(self->chunks);
    Py_XSETREF(self->payload, PyList_New(0));
    Py_XSETREF(self->names, PyDict_New());
    return self->payload && self->names ? 0 : -1;
}

static int
append_node(Builder *self, int32_t tag, PyObject *payload)
{
    if (self->length == self->capacity) {
        if (self->length >= INT32_MAX / 2) {
            PyErr_SetString(PyExc_OverflowError, "the page has more nodes than an int32 counts");
            return -1;
        }
        Py_ssize_t capacity = self->capacity ? self->capacity * 2 : 4096;
        int32_t *tags = PyMem_Realloc(self->tag, capacity * sizeof(int32_t));
        if (tags)
            self->tag = tags;
        int32_t *parents = PyMem_Realloc(self->parent, capacity * sizeof(int32_t));
        if (parents)
            self->parent = parents;
        if (!tags || !parents) {
            PyErr_NoMemory();
            return -1;
        }
        self->capacity = capacity;
    }
    if (PyList_Append(self->payload, payload) < 0)
        return -1;
    self->tag[self->length] = tag;
    self->parent[self->length] = self->open;
    self->length++;
    return 0;
}

static int32_t
text_kind(PyObject *text)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    for (Py_ssize_t i = 0, n = PyUnicode_GET_LENGTH(text); i < n; i++)
        if (!Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, i)))
            return TEXT;
    return BLANK;
}

/* End the text node under way. Text outside every element is white space between two roots: no node of any tree. */
static int
flush_text(Builder *self)
{
    if (!self->pending)
        return 0;
    PyObject *text = self->pending;
    self->pending = NULL;
    if (self->chunks) {
        PyObject *empty = PyUnicode_FromString("");
        Py_SETREF(text, empty ? PyUnicode_Join(empty, self->chunks) : NULL);
        Py_XDECREF(empty);
        Py_CLEAR(self->chunks);
        if (!text)
            return -1;
    }
    int failed = self->open >= 0 ? append_node(self, text_kind(text), text) : 0;
    Py_DECREF(text);
    return failed;
}

static PyObject *
builder_start(Builder *self, PyObject *const *args, Py_ssize_t count)
{
    if (count < 2) {
        PyErr_SetString(PyExc_TypeError, "start takes a name and its attributes");
        return NULL;
    }
    if (flush_text(self) < 0)
        return NULL;
    int32_t tag;
    PyObject *known = PyDict_GetItemWithError(self->names, args[0]);
    if (known) {
        tag = (int32_t)PyLong_AsLong(known);
    } else {
        if (PyErr_Occurred())
            return NULL;
        tag = (int32_t)PyDict_GET_SIZE(self->names);
        PyObject *number = PyLong_FromLong(tag);
        if (!number || PyDict_SetItem(self->names, args[0], number) < 0) {
            Py_XDECREF(number);
            return NULL;
        }
        Py_DECREF(number);
    }
    /* lxml hands a shared empty mapping, not a dict, to elements without attributes */
    PyObject *attributes = PyDict_CheckExact(args[1]) && PyDict_GET_SIZE(args[1]) ? args[1] : Py_None;
    if (append_node(self, tag, attributes) < 0)
        return NULL;
    self->open = (int32_t)(self->length - 1);
    Py_RETURN_NONE;
}

static PyObject *
builder_end(Builder *self, PyObject *Py_UNUSED(name))
{
    if (flush_text(self) < 0)
        return NULL;
    if (self->open >= 0)
        self->open = self->parent[self->open];
    Py_RETURN_NONE;
}

static PyObject *
builder_data(Builder *self, PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "data takes a str");
        return NULL;
    }
    if (!self->pending) {
        self->pending = Py_NewRef(text);
        Py_RETURN_NONE;
    }
    if (!self->chunks) {
        self->chunks = PyList_New(0);
        if (!self->chunks || PyList_Append(self->chunks, self->pending) < 0)
            return NULL;
    }
    if (PyList_Append(self->chunks, text) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* A comment or a processing instruction is no node of ours, but it parts the text on its two sides. */
static PyObject *
builder_comment(Builder *self, PyObject *Py_UNUSED(text))
{
    if (flush_text(self) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
builder_pi(Builder *self, PyObject *const *Py_UNUSED(args), Py_ssize_t Py_UNUSED(count))
{
    return builder_comment(self, NULL);
}

static PyObject *
builder_close(Builder *self, PyObject *Py_UNUSED(ignored))
{
    if (flush_text(self) < 0)
        return NULL;
    Py_ssize_t bytes = self->length * (Py_ssize_t)sizeof(int32_t);
    PyObject *result = Py_BuildValue("(y#y#OO)", self->tag ? (char *)self->tag : "", bytes,
                                     self->parent ? (char *)self->parent : "", bytes, self->payload, self->names);
    if (builder_clear_state(self) < 0)
        Py_CLEAR(result);
    return result;
}

static PyObject *
builder_reset(Builder *self, PyObject *Py_UNUSED(ignored))
{
    if (builder_clear_state(self) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
builder_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    Builder *self = (Builder *)type->tp_alloc(type, 0);
    if (self && builder_clear_state(self) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int
builder_traverse(Builder *self, visitproc visit, void *arg)
{
    Py_VISIT(self->payload);
    Py_VISIT(self->names);
    Py_VISIT(self->pending);
    Py_VISIT(self->chunks);
    return 0;
}

static int
builder_clear(Builder *self)
{
    Py_CLEAR(self->payload);
    Py_CLEAR(self->names);
    Py_CLEAR(self->pending);
    Py_CLEAR(self->chunks);
    return 0;
}

static void
builder_dealloc(Builder *self)
{
    PyObject_GC_UnTrack(self);
    builder_clear(self);
    PyMem_Free(self->tag);
    PyMem_Free(self->parent);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef builder_methods[] = {
    {"start", (PyCFunction)(void (*)(void))builder_start, METH_FASTCALL, "An element begins: name, attributes."},
    {"end", (PyCFunction)builder_end, METH_O, "The innermost open element ends."},
    {"data", (PyCFunction)builder_data, METH_O, "A piece of text."},
    {"comment", (PyCFunction)builder_comment, METH_O, "A comment: parts two texts."},
    {"pi", (PyCFunction)(void (*)(void))builder_pi, METH_FASTCALL, "A processing instruction: parts two texts."},
    {"close", (PyCFunction)builder_close, METH_NOARGS, "(tag bytes, parent bytes, payload, names); starts anew."},
    {"reset", (PyCFunction)builder_reset, METH_NOARGS, "Forget a page that was cut short."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject builder_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "edrew_torch._compiled.TreeBuilder",
    .tp_doc = "Target of lxml's HTML parser: events in, parallel arrays out.",
    .tp_basicsize = sizeof(Builder),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = builder_new,
    .tp_dealloc = (destructor)builder_dealloc,
    .tp_traverse = (traverseproc)builder_traverse,
    .tp_clear = (inquiry)builder_clear,
    .tp_methods = builder_methods,
};

/* ---- attribute_marks ---- */

static inline Py_UCS4
lower(Py_UCS4 c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Words to be found in texts. `pairs` has the bits of the words that may begin with two given characters. */
typedef struct {
    PyObject *words; /* tuple */
    uint32_t pairs[256];
    int pass_space; /* white space in the text is passed over */
} WordList;

static inline unsigned
pair_of(Py_UCS4 first, Py_UCS4 second)
{
    return ((first | 32) * 7 + (second | 32)) & 255; /* | 32 folds the case of letters; what else it mixes is sorted out later */
}

static int
read_words(PyObject *words, int pass_space, WordList *list)
{
    *list = (WordList){.words = words, .pass_space = pass_space};
    if (PyTuple_GET_SIZE(words) > 24) {
        PyErr_SetString(PyExc_ValueError, "at most 24 words");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(words); i++) {
        PyObject *word = PyTuple_GET_ITEM(words, i);
        if (!PyUnicode_Check(word) || PyUnicode_GET_LENGTH(word) < 2) {
            PyErr_SetString(PyExc_ValueError, "a word is a string of two characters or more");
            return -1;
        }
        list->pairs[pair_of(PyUnicode_READ_CHAR(word, 0), PyUnicode_READ_CHAR(word, 1))] |= (uint32_t)1 << i;
    }
    return 0;
}

static int
stands_at(PyObject *text, Py_ssize_t from, PyObject *word, int pass_space)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), word_length = PyUnicode_GET_LENGTH(word), matched = 0;
    for (Py_ssize_t i = from; i < length && matched < word_length; i++) {
        Py_UCS4 c = PyUnicode_READ_CHAR(text, i);
        if (pass_space && Py_UNICODE_ISSPACE(c))
            continue;
        if (lower(c) != PyUnicode_READ_CHAR(word, matched))
            return 0;
        matched++;
    }
    return matched == word_length;
}

/* Which words of the list stand in `text`, a bit each. Case is folded for ASCII. */
static int64_t
words_in(PyObject *text, const WordList *list)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    const Py_UCS1 *bytes = kind == PyUnicode_1BYTE_KIND ? data : NULL; /* nearly all texts: read without a branch each */
    const uint32_t all = ((uint32_t)1 << PyTuple_GET_SIZE(list->words)) - 1;
    uint32_t found = 0;
    for (Py_ssize_t i = 0, last = PyUnicode_GET_LENGTH(text) - 1; i < last; i++) {
        unsigned pair = bytes ? pair_of(bytes[i], bytes[i + 1])
                              : pair_of(PyUnicode_READ(kind, data, i), PyUnicode_READ(kind, data, i + 1));
        /* where white space is passed over, a word's second character may stand further on: each word is tried */
        uint32_t maybe = (list->pass_space ? all : list->pairs[pair]) & ~found;
        for (int bit = 0; maybe; bit++, maybe >>= 1)
            if (maybe & 1 && stands_at(text, i, PyTuple_GET_ITEM(list->words, bit), list->pass_space))
                found |= (uint32_t)1 << bit;
    }
    return found;
}

static PyObject *
attribute_marks(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *payload, *words, *hiding;
    WordList keywords, hiding_styles;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &payload, &PyTuple_Type, &words, &PyTuple_Type, &hiding))
        return NULL;
    if (read_words(words, 0, &keywords) < 0 || read_words(hiding, 1, &hiding_styles) < 0)
        return NULL;
    const int num_words = (int)PyTuple_GET_SIZE(words);
    const int64_t id_mark = 1, class_mark = 2, property_mark = (int64_t)4 << num_words, hidden_mark = property_mark << (num_words + 1);

    Py_ssize_t count = PyList_GET_SIZE(payload);
    PyObject *result = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    if (!result)
        return NULL;
    int64_t *column = (int64_t *)PyBytes_AS_STRING(result);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyList_GET_ITEM(payload, i), *name, *value;
        Py_ssize_t place = 0;
        int64_t marks = 0;
        while (PyDict_Check(item) && PyDict_Next(item, &place, &name, &value)) {
            if (!PyUnicode_Check(name) || !PyUnicode_Check(value)) {
                PyErr_SetString(PyExc_TypeError, "attributes are strings");
                Py_DECREF(result);
                return NULL;
            }
            if (PyUnicode_CompareWithASCIIString(name, "class") == 0)
                marks |= class_mark * (1 | words_in(value, &keywords) << 1);
            else if (PyUnicode_CompareWithASCIIString(name, "id") == 0)
                marks |= id_mark;
            else if (PyUnicode_CompareWithASCIIString(name, "style") == 0)
                marks |= words_in(value, &hiding_styles) ? hidden_mark : 0;
            else {
                int64_t found = words_in(name, &keywords) | words_in(value, &keywords);
                marks |= property_mark * (1 | found << 1);
                if (PyUnicode_CompareWithASCIIString(name, "hidden") == 0)
                    marks |= hidden_mark;
            }
        }
        column[i] = marks;
    }
    return result;
}

/* ---- read_chains ---- */

static PyObject *
read_chains(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer tokens, following, start, out;
    if (!PyArg_ParseTuple(args, "y*y*y*w*", &tokens, &following, &start, &out))
        return NULL;
    Py_ssize_t num_cells = tokens.len / (Py_ssize_t)sizeof(int32_t), count = start.len / (Py_ssize_t)sizeof(int64_t);
    Py_ssize_t length = count ? out.len / (Py_ssize_t)sizeof(int32_t) / count : 0;
    const int32_t *token = tokens.buf;
    const int64_t *next = following.buf, *first = start.buf;
    int32_t *row = out.buf;
    int is_bad = following.len / (Py_ssize_t)sizeof(int64_t) != num_cells;
    for (Py_ssize_t i = 0; i < count && !is_bad; i++) {
        int64_t cell = first[i];
        for (Py_ssize_t k = 0; k < length; k++) {
            if (cell < 0 || cell >= num_cells) {
                is_bad = 1;
                break;
            }
            *row++ = token[cell];
            cell = next[cell];
        }
    }
    PyBuffer_Release(&tokens);
    PyBuffer_Release(&following);
    PyBuffer_Release(&start);
    PyBuffer_Release(&out);
    if (is_bad) {
        PyErr_SetString(PyExc_IndexError, "a chain leaves the cells");
        return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- tree_sums ---- */

static PyObject *
tree_sums(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer features, feature, threshold, left, right, value, out;
    Py_ssize_t num_trees;
    int depth;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*niw*", &features, &feature, &threshold, &left, &right, &value, &num_trees,
                          &depth, &out))
        return NULL;
    Py_ssize_t cells = feature.len / (Py_ssize_t)sizeof(int32_t), width = num_trees > 0 ? cells / num_trees : 0;
    Py_ssize_t rows = out.len / (Py_ssize_t)sizeof(double);
    Py_ssize_t columns = rows ? features.len / (Py_ssize_t)sizeof(double) / rows : 0;
    int is_bad = num_trees < 0 || (num_trees && !width) || width * num_trees != cells
        || columns * rows * (Py_ssize_t)sizeof(double) != features.len
        || threshold.len != cells * (Py_ssize_t)sizeof(double) || value.len != threshold.len || left.len != feature.len
        || right.len != feature.len;
    const double *bound = threshold.buf, *leaf = value.buf;
    const int32_t *asked = feature.buf, *low = left.buf, *high = right.buf;
    for (Py_ssize_t i = 0; i < rows && !is_bad; i++) {
        const double *row = (const double *)features.buf + i * columns;
        double sum = 0;
        for (Py_ssize_t t = 0; t < num_trees && !is_bad; t++) {
            Py_ssize_t base = t * width, here = 0;
            for (int k = 0; k < depth; k++) {
                int32_t column = asked[base + here];
                if (column < 0 || column >= columns) {
                    is_bad = 1;
                    break;
                }
                int32_t next = row[column] <= bound[base + here] ? low[base + here] : high[base + here];
                if (next < 0 || next >= width) {
                    is_bad = 1;
                    break;
                }
                if (next == here) /* a leaf */
                    break;
                here = next;
            }
            sum += leaf[base + here];
        }
        ((double *)out.buf)[i] = sum;
    }
    PyBuffer_Release(&features);
    PyBuffer_Release(&feature);
    PyBuffer_Release(&threshold);
    PyBuffer_Release(&left);
    PyBuffer_Release(&right);
    PyBuffer_Release(&value);
    PyBuffer_Release(&out);
    if (is_bad) {
        PyErr_SetString(PyExc_IndexError, "a tree asks for what is not there");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"attribute_marks", attribute_marks, METH_VARARGS, "(payload, words, hiding) -> int64 bytes, one number a node."},
    {"read_chains", read_chains, METH_VARARGS, "(token int32, following int64, start int64, out int32): fills out."},
    {"tree_sums", tree_sums, METH_VARARGS,
     "(features, feature, threshold, left, right, value, num_trees, depth, out float64): fills out."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_compiled",
    .m_doc = "The inner loops of reading a page.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__compiled(void)
{
    if (PyType_Ready(&builder_type) < 0)
        return NULL;
    PyObject *m = PyModule_Create(&module);
    if (m && PyModule_AddObjectRef(m, "TreeBuilder", (PyObject *)&builder_type) < 0)
        Py_CLEAR(m);
    return m;
}
