"""Three layout families of the embedded sample that look like 2005-2011, as templates.

    == crumbs
    <P>[[<A href="{href}">{text}</A>|| &gt; ]] &gt; {last}

A family is a text: `== part` opens a part, a line `--` separates alternatives, of which a site
uses one. `[[ ]]` holds what is repeated for each item, and `||` in it what stands between two
items. `{c[price]}` is the site's own class name or id for "price". Read by sample_sites.py.
"""

# Nested tables, font tags, spacer images, upper-case names, cells and rows left open.
TABLES = """
== shell
<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<HTML>
<HEAD>
<TITLE>{title}</TITLE>
{meta}{css}{script}</HEAD>
<BODY bgcolor="#ffffff" text="#222222" link="#003399" topmargin=0 marginheight=0>
<!-- {comment} -->
{body}
</BODY>
</HTML>
== frame
<CENTER>
<TABLE width=780 border=0 cellpadding=0 cellspacing=0>
<TR><TD colspan=3>{top}</TD></TR>
<TR valign=top><TD width=160 bgcolor="#eef2f7">{side}</TD>
<TD width=10><IMG src="/i/spacer.gif" width=10 height=1></TD>
<TD>{main}</TD></TR>
</TABLE>
{foot}
</CENTER>
--
<TABLE width="100%" border=0 cellspacing=0><TR><TD>{top}</TD></TR></TABLE>
<TABLE width="98%" border=0 cellpadding=4 align=center><TR valign=top>
<TD width="75%">{main}</TD>
<TD bgcolor="#ffffe8">{side}</TD>
</TR></TABLE>
{foot}
--
<TABLE width=760 border=0 align=center><TR><TD>
{top}
<TABLE width="100%" border=0 cellpadding=0 cellspacing=0>
<TR><TD valign=top><DIV align=left>{main}</DIV></TD></TR>
<TR><TD><IMG src="/i/px.gif" width=1 height=12></TD></TR>
<TR><TD valign=top>{side}</TD></TR></TABLE>
{foot}</TD></TR></TABLE>
== inner
<TABLE width="100%" border=0 cellpadding=2 cellspacing=0><TR><TD>{block}</TD></TR></TABLE>
== menu
<TABLE border=0 cellpadding=3 cellspacing=1 bgcolor="#003366"><TR>
<TD><A href="/"><IMG src="/i/logo.gif" alt="{owner}" border=0></A></TD>
[[<TD nowrap><A href="{href}"><FONT face="Verdana" size=1 color="#ffffff">{text}</FONT></A>
]]</TR></TABLE>
--
<FONT face="Arial" size="4" color="#990000"><B>{owner}</B></FONT><BR>
<FONT face="Arial" size=2>[[<A href="{href}">{text}</A>|| | ]]</FONT><HR noshade size=1>
== crumbs
<FONT face="Arial" size=1>[[<A href="{href}">{text}</A>|| &gt; ]] &gt; {last}</FONT><BR>
--
<P>You are here: [[<A href="{href}">{text}</A>||&nbsp;&raquo;&nbsp;]]
== search
<FORM action="{action}" method=get><FONT size=1>Search {plural}:</FONT>
<INPUT name=q size=18><SELECT name=near>[[<OPTION>{text}
]]</SELECT>
<INPUT type=image src="/i/go.gif"></FORM>
== heading
<FONT face="Arial" size="+2"><B>{value}</B></FONT><BR>
--
<TABLE border=0><TR><TD><IMG src="{photo}" width=120 height=90 alt="{alt}">
<TD><FONT size=4 color="#990000">{value}</FONT></TR></TABLE>
--
<H2>{value}</H2>
== hero
<TABLE border=0 cellpadding=1>[[<TR><TD><FONT size=2><B>{label}:</B> {value}</FONT>
]]</TABLE>
--
<P>[[<FONT face="Arial" size=2><B>{label}:</B></FONT> {value}<BR>
]]
--
<UL>[[<LI><FONT face="Arial" size=2>{label}: {value}</FONT>
]]</UL>
--
<TABLE border=0 cellpadding=2>[[<TR><TD align=right><FONT size=1>{label}</FONT>
<TD><FONT size=2><B>{value}</B></FONT>
]]</TABLE>
== specs
<FONT face="Arial" size=3><B>{title}</B></FONT>
<TABLE width="100%" border=1 cellpadding=3 cellspacing=0>[[<TR>
<TD bgcolor="#dddddd"><FONT size=2>{label}</FONT></TD><TD><FONT size=2>{value}</FONT></TD></TR>
]]</TABLE>
--
<TABLE width=420 border=0><TR><TD colspan=2><IMG src="/i/h_{key}.gif" alt="{title}"></TD></TR>
[[<TR valign=top><TD><B>{label}</B><TD>{value}
]]</TABLE>
--
<P><B><U>{title}</U></B><BR>
[[<FONT size=2 color="#555555">{label}:</FONT> <FONT size=2>{value}</FONT><BR>
]]
== link
<A href="{href}">{text}</A>
== prose
<P><FONT face="Arial" size=3><B>{title}</B></FONT>
[[<P><FONT size=2>{text}</FONT>
]]
--
<H3>{title}</H3>[[{text}<BR><BR>
]]
== similar
<TABLE width="100%" border=0 cellpadding=2><TR bgcolor="#cccccc"><TD><B>{title}</B></TD></TR>
[[<TR><TD><A href="{href}"><FONT size=2>{name}</FONT></A><BR><FONT size=2><B>{note}</B></FONT>
]]</TABLE>
--
<FONT size=2><B>{title}</B></FONT><BR>
[[<IMG src="/i/dot.gif"> <A href="{href}">{name}</A><BR>{note}<BR>
]]
== browse
<TABLE border=0 width=150><TR><TD bgcolor="#99aabb"><B>{title}</B></TD></TR>
[[<TR><TD><A href="{href}"><FONT size=1>{text}</FONT></A>
]]</TABLE>
--
<P><B>{title}</B><UL>[[<LI><A href="{href}">{text}</A>
]]</UL>
== reviews
<A name="comments"></A><FONT size=3><B>{title}</B></FONT>
[[<TABLE width="100%" border=0 cellpadding=3><TR bgcolor="#f4f4f4"><TD><B>{verdict}</B> ({stars}/5)
<TD align=right><FONT size=1>{by}, {when}</FONT></TR>
<TR><TD colspan=2><FONT size=2>{text}</FONT></TR></TABLE>
]]
--
<H3>{title}</H3>[[<P><B>{by}</B> wrote on {when}:<BR><I>{verdict}</I><BR>{text}
<HR size=1>
]]
== ad
<TABLE width=468 border=1 align=center><TR><TD bgcolor="#ffffcc">
<FONT size=1>Advertisement</FONT><BR>
<A href="{href}">{text}</A></TD></TR></TABLE>
--
<CENTER><A href="{href}"><IMG src="/ads/{key}.gif" width=468 height=60 border=0></A><BR>
<FONT size=1>{text}</FONT></CENTER>
== tools
<TABLE border=0><TR>[[<TD><IMG src="/i/t.gif"><A href="{href}"><FONT size=1>{text}</FONT></A>
]]</TR></TABLE>
== hidden
<DIV style="display:none"><FORM action="/mail.asp"><FONT size=2>{name}</FONT><BR>{text}</FORM></DIV>
== footer
<HR noshade size=1 width=760><FONT face="Verdana" size=1>[[<A href="{href}">{text}</A>|| - ]]
<BR>&copy; {year} {owner}. All rights reserved.</FONT>
"""

# Div soup of a content management system: ids, several classes, clearing blocks.
DIVS = """
== shell
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<title>{title}</title>
{meta}{css}{script}</head>
<body class="{c[page]} node-type-{noun}">
<div id="{c[outer]}">
{body}
</div>
<!-- {comment} -->
</body>
</html>
== frame
<div id="{c[header]}">{top}</div>
<div id="{c[columns]}" class="clear-block">
  <div id="{c[left]}" class="{c[column]}">{side}</div>
  <div id="{c[main]}" class="{c[column]}">{main}</div>
  <div style="clear:both"></div>
</div>
<div id="{c[footer]}">{foot}</div>
--
<div id="{c[top]}"><div class="{c[inner]}">{top}</div></div>
<div id="{c[content]}"><div class="{c[inner]}">
{main}
</div></div>
<div id="{c[rail]}">{side}</div>
<div class="{c[bottom]}">{foot}</div>
--
<form name="aspnetForm" method="post" action="{action}" id="aspnetForm">
<div class="{c[masthead]}">{top}</div>
<div class="{c[body]}"><div id="{c[center]}"><div>{main}</div></div>
<div id="{c[right]}" class="{c[narrow]}">{side}</div></div>
<div id="{c[foot]}">{foot}</div>
</form>
== inner
<div class="{c[wrap]}">{block}</div>
== menu
<div id="{c[logo]}"><a href="/" title="{owner}"><span>{owner}</span></a></div>
<ul id="{c[nav]}">[[<li class="leaf"><a href="{href}">{text}</a></li>
]]</ul>
--
<div class="{c[nav]}"><a href="/" class="{c[home]}">{owner}</a>
[[<div class="{c[tab]}"><a href="{href}"><span>{text}</span></a></div>
]]</div>
== crumbs
<div class="breadcrumb">[[<a href="{href}">{text}</a>|| &raquo; ]] &raquo; {last}</div>
--
<div id="{c[path]}"><ul>[[<li><a href="{href}">{text}</a></li>]]<li class="last">{last}</li></ul>
</div>
== search
<div class="{c[search]}"><form action="{action}"><label for="q">Find {plural}</label>
<input type="text" id="q" name="q" /><select name="near">[[<option value="{href}">{text}</option>
]]</select><input type="submit" value="Go" /></form></div>
== heading
<h1 class="title">{value}</h1>
--
<div id="{c[title]}"><div class="{c[photo]}"><img src="{photo}" alt="{alt}" /></div>
<h1>{value}</h1></div>
--
<div class="{c[name]}"><span id="ctl00_Main_lblName">{value}</span></div>
== hero
<div class="{c[summary]}">[[<div class="{field}"><span class="{c[label]}">{label}:</span>
<span class="{c[value]}">{value}</span></div>
]]</div>
--
<div id="{c[facts]}">[[<p class="{field}"><strong>{label}:</strong> {value}</p>
]]</div>
--
<div class="{c[box]}">[[<div>{label}: {value}</div>
]]</div>
== specs
<div class="block" id="{c[details]}"><h2>{title}</h2><div class="content">
[[<div class="field"><div class="field-label">{label}:&nbsp;</div>
<div class="field-item">{value}</div></div>
]]</div></div>
--
<div id="{c[specs]}"><h3>{title}</h3><ul>
[[<li><span class="{c[label]}">{label}:</span>{value}</li>
]]</ul></div>
--
<h2 class="{c[head]}">{title}</h2><table id="{c[grid]}" class="{c[table]}"><tbody>
[[<tr><th scope="row">{label}</th><td>{value}</td></tr>
]]</tbody></table>
== link
<a href="{href}">{text}</a>
--
<a href="{href}" class="{c[link]}" rel="tag">{text}</a>
== prose
<div id="{c[description]}" class="block"><h2>{title}</h2>
[[<p>{text}</p>
]]</div>
--
<div class="{c[about]}"><h3 class="{c[head]}">{title}</h3><div class="{c[text]}">[[{text}||<br />
<br />
]]</div></div>
== similar
<div class="block {c[related]}"><h2>{title}</h2><div class="content">
[[<div class="views-row"><div class="{c[name]}"><a href="{href}">{name}</a></div>
<span class="{c[value]}">{note}</span></div>
]]</div></div>
--
<div id="{c[also]}"><h3>{title}</h3><ul>
[[<li><a href="{href}"><img src="{photo}" alt="" /></a><a href="{href}">{name}</a>
<strong>{note}</strong></li>
]]</ul></div>
== browse
<div class="block"><h2>{title}</h2><ul class="menu">[[<li class="leaf">
<a href="{href}">{text}</a></li>
]]</ul></div>
== reviews
<div id="comments"><h2>{title}</h2>
[[<div class="comment"><h3><a href="#">{verdict}</a></h3>
<div class="submitted">Submitted by {by} on {when}.</div><div class="content"><p>{text}</p></div>
</div>
]]</div>
--
<div class="{c[reviews]}"><h3>{title}</h3>
[[<div class="{c[review]}"><span class="{c[name]}">{by}</span> <span class="{c[date]}">{when}</span>
<div class="s{stars}">{stars} stars</div><p>{text}</p></div>
]]</div>
== ad
<div class="{c[ad]}"><div class="adlabel">Sponsored</div><a href="{href}">{text}</a></div>
--
<div id="{c[banner]}"><script type="text/javascript">showAd("{key}");</script>
<div class="ad-text"><div><a href="{href}" rel="nofollow">{text}</a></div></div></div>
== tools
<div class="links">[[<span><a href="{href}">{text}</a></span>
]]</div>
--
<ul class="{c[tools]}">[[<li><a href="{href}" onclick="return pop(this)">{text}</a></li>
]]</ul>
== hidden
<div id="{c[popup]}" style="display: none;"><h4>{name}</h4><p>{text}</p></div>
--
<div class="{c[print]}"><div>{name}</div><div>{text}</div></div>
== footer
<ul>[[<li><a href="{href}">{text}</a></li>]]</ul><p>Copyright &copy; {year} {owner}</p>
--
<div class="{c[legal]}">[[<a href="{href}">{text}</a>|| | ]]<br />&copy;{year} {owner}</div>
"""

# Definition lists and other plain semantic markup; few classes.
DEFINITIONS = """
== shell
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html lang="en"><head>
<title>{title}</title>
{meta}{css}{script}</head>
<body id="{c[page]}">
{body}
<!-- {comment} -->
</body></html>
== frame
<div id="head">{top}</div>
<div id="main">{main}</div>
<div id="nav2">{side}</div>
<address>{foot}</address>
--
{top}
<table id="layout"><tr><td class="l">{side}</td><td class="m">{main}</td></tr></table>
<div id="foot">{foot}</div>
--
<div class="{c[sheet]}">{top}<div>{main}<div class="{c[more]}">{side}</div></div>{foot}</div>
== inner
<blockquote>{block}</blockquote>
== menu
<h4><a href="/">{owner}</a></h4><dl id="menu"><dt>Sections</dt>[[<dd><a href="{href}">{text}</a>
</dd>
]]</dl>
--
<ul>[[<li><a href="{href}">{text}</a>
]]</ul>
== crumbs
<p class="where">[[<a href="{href}">{text}</a>|| / ]] / <em>{last}</em></p>
--
<ol class="trail">[[<li><a href="{href}">{text}</a>]]<li>{last}</ol>
== search
<form action="{action}"><fieldset><legend>Search {plural}</legend><input name="q" />
<select name="near">[[<option>{text}
]]</select><button>Search</button></fieldset></form>
== heading
<h1>{value}</h1>
--
<dl><dt>{noun}</dt><dd><h1>{value}</h1></dd></dl>
--
<h2><em>{value}</em></h2>
== hero
<dl class="{c[summary]}">[[<dt>{label}</dt><dd class="{field}">{value}</dd>
]]</dl>
--
<ul class="{c[summary]}">[[<li><b>{label}</b>: {value}
]]</ul>
--
<p>[[<em>{label}</em> {value}<br />
]]</p>
--
<ul>[[<li class="{field}">{label}: {value}</li>
]]</ul>
== specs
<h2>{title}</h2><dl>[[<dt>{label}</dt><dd>{value}</dd>
]]</dl>
--
<h3>{title}</h3><dl id="{c[specs]}">[[<dt><b>{label}:</b><dd>{value}
]]</dl>
--
<dl class="{c[data]}"><dt>{title}</dt><dd><dl>[[<dt>{label}:</dt><dd><span>{value}</span></dd>
]]</dl></dd></dl>
== link
<a href="{href}">{text}</a>
== prose
<h2>{title}</h2>[[<p>{text}</p>
]]
--
<dl><dt>{title}</dt>[[<dd>{text}</dd>
]]</dl>
== similar
<h3>{title}</h3><dl>[[<dt><a href="{href}">{name}</a></dt><dd>{note}</dd>
]]</dl>
--
<h3>{title}</h3><ol>[[<li><a href="{href}">{name}</a> <b>{note}</b>
]]</ol>
== browse
<dl><dt>{title}</dt>[[<dd><a href="{href}">{text}</a></dd>
]]</dl>
--
<h4>{title}</h4><p>[[<a href="{href}">{text}</a>||, ]]</p>
== reviews
<h2 id="letters">{title}</h2><dl>[[<dt>{verdict} <small>{when}</small></dt>
<dd><p>{text}</p><cite>{by}</cite></dd>
]]</dl>
--
<h3>{title}</h3>[[<blockquote><p>{text}<p class="by">{by}, {when}, {stars} of 5</blockquote>
]]
== ad
<p class="ad"><small>Advertisement:</small> <a href="{href}">{text}</a></p>
--
<div class="sponsor"><dl><dt>Sponsor</dt><dd><a href="{href}">{text}</a></dd></dl></div>
== tools
<p class="tools">[[<a href="{href}">{text}</a>|| &middot; ]]</p>
== hidden
<dl style="visibility:hidden"><dt>{name}</dt><dd>{text}</dd></dl>
--
<div class="{c[print]}"><p>{name}<p>{text}</div>
== footer
<p>[[<a href="{href}">{text}</a>|| | ]]</p><p>&copy; {year} {owner}</p>
"""
