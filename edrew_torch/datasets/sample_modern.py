"""Three later layout families of the embedded sample: components, microdata, utility classes.

    == hero
    [[<div itemprop="{slug}">{value}</div>]]

The notation is that of sample_classic.py.
"""

# A single-page application as its server sends it: custom elements, scoped attributes.
COMPONENTS = """
== shell
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
{meta}{css}{script}</head>
<body>
<!-- {comment} -->
<app-root {ng} ng-version="12.1.4">
{body}
</app-root>
</body>
</html>
== frame
<app-header {ng} class="{c[header]}">{top}</app-header>
<main {ng}><router-outlet></router-outlet>
<{noun}-page {ng}><section class="{c[main]}">{main}</section>
<aside class="{c[aside]}">{side}</aside></{noun}-page></main>
<app-footer {ng}>{foot}</app-footer>
--
<site-layout {ng}><header role="banner">{top}</header>
<div class="{c[grid]}"><aside {ng} class="{c[rail]}">{side}</aside>
<article {ng} data-kind="{noun}">{main}</article></div>
<footer role="contentinfo">{foot}</footer></site-layout>
--
<x-shell theme="light">{top}
<x-view name="{noun}">{main}</x-view>
<x-drawer open>{side}</x-drawer>
{foot}</x-shell>
== inner
<section {ng} class="{c[section]}">{block}</section>
== menu
<nav-bar {ng}><a {ng} routerlink="/" href="/" class="{c[brand]}">{owner}</a>
[[<nav-item {ng}><a {ng} href="{href}">{text}</a></nav-item>
]]</nav-bar>
--
<nav aria-label="Main"><ul {ng}>[[<li {ng}><a {ng} href="{href}"><span>{text}</span></a></li>
]]</ul></nav>
== crumbs
<bread-crumbs {ng}>[[<a {ng} href="{href}">{text}</a><i class="{c[chevron]}"></i>]]
<span aria-current="page">{last}</span></bread-crumbs>
--
<nav aria-label="Breadcrumb"><ol>[[<li><a href="{href}">{text}</a></li>]]</ol></nav>
== search
<search-box {ng}><form action="{action}" {ng}><input {ng} formcontrolname="keyword" type="search"
 placeholder="Search {plural}"><pick-list {ng}>[[<pick-option {ng}>{text}</pick-option>
]]</pick-list><button {ng} type="submit"><span>Search</span></button></form>
</search-box>
== heading
<{noun}-title {ng}><h1 {ng} class="{c[title]}">{value}</h1></{noun}-title>
--
<header {ng}><img-box {ng}><img src="{photo}" alt="{alt}" loading="lazy"></img-box>
<h1 {ng}>{value}</h1></header>
--
<hero-banner {ng}><div slot="title">{value}</div></hero-banner>
== hero
<{noun}-summary {ng}>[[<info-chip {ng} class="{field}"><span {ng}>{label}</span>
<b {ng}>{value}</b></info-chip>
]]</{noun}-summary>
--
<div {ng} class="{c[summary]}">[[<p {ng} data-field="{slug}">
<small {ng}>{label}: </small>{value}</p>
]]</div>
--
<key-facts>[[<key-fact name="{slug}"><span slot="label">{label}</span>
<span slot="value">{value}</span></key-fact>
]]</key-facts>
== specs
<spec-list {ng}><h2 {ng}>{title}</h2>[[<spec-row {ng}><span {ng} class="{c[label]}">{label}</span>
<span {ng} class="{c[value]}">{value}</span></spec-row>
]]</spec-list>
--
<mat-accordion {ng}><h2 {ng}>{title}</h2><div role="table">
[[<div role="row"><div role="rowheader" {ng}>{label}</div><div role="cell" {ng}>{value}</div></div>
]]</div></mat-accordion>
--
<x-table caption="{title}"><table><tbody>[[<tr {ng}><td {ng}>{label}</td><td {ng}>{value}</td></tr>
]]</tbody></table></x-table>
== link
<a {ng} href="{href}">{text}</a>
--
<x-link to="{href}">{text}</x-link>
== prose
<rich-text {ng}><h2 {ng}>{title}</h2>[[<p {ng}>{text}</p>
]]</rich-text>
--
<read-more {ng} lines="6"><h3>{title}</h3><div class="{c[text]}">[[<p>{text}</p>
]]</div><button type="button">Show more</button></read-more>
== similar
<card-carousel {ng}><h2 {ng}>{title}</h2>[[<{noun}-card {ng} class="{c[card]}">
<a {ng} href="{href}">
<h3 {ng}>{name}</h3></a><b {ng}>{note}</b></{noun}-card>
]]</card-carousel>
--
<section {ng} class="{c[related]}"><h2>{title}</h2>
[[<article {ng}><img src="{photo}" alt=""><a href="{href}">{name}</a><p {ng}>{note}</p></article>
]]</section>
== browse
<facet-list {ng}><h3 {ng}>{title}</h3>[[<facet-item {ng}><a {ng} href="{href}">{text}</a>
</facet-item>
]]</facet-list>
== reviews
<review-list {ng}><h2 {ng}>{title}</h2>[[<review-card {ng}><star-rating value="{stars}">
</star-rating>
<h4 {ng}>{verdict}</h4><p {ng}>{text}</p><footer {ng}><span>{by}</span><time>{when}</time>
</footer></review-card>
]]</review-list>
--
<section id="{c[reviews]}"><h2>{title}</h2>[[<article class="{c[review]}"><header><b>{by}</b>
<time>{when}</time></header><p>{text}</p></article>
]]</section>
== ad
<ad-slot {ng} data-unit="{key}"><span>Ad</span><a href="{href}" rel="sponsored">{text}</a></ad-slot>
--
<promo-tile {ng}><div><p {ng}>{text}</p><a href="{href}" {ng}>Learn more</a></div></promo-tile>
== tools
<action-bar {ng}>[[<button {ng} type="button" aria-label="{text}"><span {ng}>{text}</span></button>
]]</action-bar>
== hidden
<app-dialog {ng} hidden><h2>{name}</h2><p>{text}</p></app-dialog>
--
<template-preview style="display:none"><span>{name}</span><span>{text}</span></template-preview>
== footer
<ul {ng}>[[<li {ng}><a {ng} href="{href}">{text}</a></li>
]]</ul><small {ng}>&copy; {year} {owner}</small>
"""

# HTML5 with schema.org style microdata.
MICRODATA = """
== shell
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
{meta}{css}{script}</head>
<body itemscope itemtype="http://schema.example/WebPage">
{body}
<!-- {comment} -->
</body>
</html>
== frame
<header>{top}</header>
<div class="{c[wrapper]}"><main itemscope itemtype="http://schema.example/{noun}">{main}</main>
<aside>{side}</aside></div>
<footer>{foot}</footer>
--
<header class="{c[header]}">{top}</header>
<aside class="{c[aside]}">{side}</aside>
<section itemscope itemtype="http://schema.example/{noun}" class="{c[item]}">{main}</section>
<footer class="{c[footer]}">{foot}</footer>
--
<div class="{c[page]}">{top}<article itemscope itemtype="http://schema.example/{noun}">
{main}</article>{side}{foot}</div>
== inner
<section>{block}</section>
== menu
<a href="/" class="{c[logo]}">{owner}</a><nav><ul>[[<li><a href="{href}">{text}</a></li>
]]</ul></nav>
--
<nav class="{c[nav]}"><strong>{owner}</strong>[[<a href="{href}">{text}</a>
]]</nav>
== crumbs
<nav itemprop="breadcrumb">[[<a href="{href}">{text}</a>|| &rsaquo; ]] &rsaquo; {last}</nav>
--
<ol itemscope itemtype="http://schema.example/BreadcrumbList">
[[<li itemprop="itemListElement"><a itemprop="item" href="{href}">
<span itemprop="name">{text}</span></a></li>
]]<li>{last}</li></ol>
== search
<form role="search" action="{action}"><input type="search" name="q" placeholder="{plural}">
<select name="near">[[<option>{text}</option>
]]</select><button>Find</button></form>
== heading
<h1 itemprop="name">{value}</h1>
--
<figure><img itemprop="image" src="{photo}" alt="{alt}"><figcaption>{alt}</figcaption></figure>
<h1><span itemprop="name">{value}</span></h1>
--
<hgroup><h1 itemprop="name">{value}</h1><h2>{plural}</h2></hgroup>
== hero
<div class="{c[summary]}">[[<p>{label}: <span{prop}>{value}</span></p>
]]</div>
--
<ul class="{c[facts]}">[[<li>
<span class="{c[label]}">{label}</span> <strong{prop}>{value}</strong></li>
]]</ul>
--
<div itemprop="offers" itemscope>[[<div><b>{label}</b> <span class="{field}">{value}</span></div>
]]</div>
== specs
<section class="{c[specs]}"><h2>{title}</h2><table>
[[<tr><th>{label}</th><td{prop}>{value}</td></tr>
]]</table></section>
--
<section><h2>{title}</h2><ul itemprop="additionalProperty">
[[<li itemscope><span itemprop="name">{label}</span>: <span itemprop="value">{value}</span></li>
]]</ul></section>
--
<details open><summary>{title}</summary><dl>[[<div><dt>{label}</dt><dd>{value}</dd></div>
]]</dl></details>
== link
<a href="{href}" itemprop="url">{text}</a>
--
<a href="{href}"><span>{text}</span></a>
== prose
<section itemprop="description"><h2>{title}</h2>[[<p>{text}</p>
]]</section>
--
<div class="{c[text]}"><h3>{title}</h3>[[<p>{text}</p>
]]</div>
== similar
<section><h2>{title}</h2>[[<article itemscope itemtype="http://schema.example/{noun}">
<h3><a itemprop="url" href="{href}"><span itemprop="name">{name}</span></a></h3>
<span itemprop="about">{note}</span></article>
]]</section>
--
<aside class="{c[similar]}"><h3>{title}</h3><ul>
[[<li itemscope><a href="{href}" itemprop="name">{name}</a> <strong>{note}</strong></li>
]]</ul></aside>
== browse
<nav class="{c[browse]}"><h3>{title}</h3><ul>[[<li><a href="{href}">{text}</a></li>
]]</ul></nav>
== reviews
<section><h2>{title}</h2>[[<article itemprop="review" itemscope><h3 itemprop="name">{verdict}</h3>
<p>by <span itemprop="author">{by}</span>, <time itemprop="datePublished">{when}</time></p>
<p itemprop="reviewBody">{text}</p></article>
]]</section>
--
<section class="{c[reviews]}"><h2>{title}</h2>
[[<blockquote itemprop="review"><p>{text}</p><footer>{by}, <time>{when}</time></footer></blockquote>
]]</section>
== ad
<aside class="{c[ad]}"><small>Sponsored</small><p><a href="{href}">{text}</a></p></aside>
--
<div class="{c[promo]}"><ins><a href="{href}"><span>{text}</span></a></ins></div>
== tools
<menu>[[<li><a href="{href}">{text}</a></li>
]]</menu>
== hidden
<div hidden><span itemprop="alternateName">{name}</span><span>{text}</span></div>
--
<div class="{c[print]}"><p>{name}</p><p>{text}</p></div>
== footer
<nav>[[<a href="{href}">{text}</a>
]]</nav><p><small>&copy; {year} <span itemprop="publisher">{owner}</span></small></p>
"""

# Utility classes on everything; nothing has a name.
UTILITY = """
== shell
<!doctype html>
<html lang="en" class="h-full">
<head>
<meta charset="utf-8">
<title>{title}</title>
{meta}{css}{script}</head>
<body class="bg-gray-50 text-gray-900 antialiased">
<!-- {comment} -->
<div id="__app">{body}</div>
</body>
</html>
== frame
<div class="flex flex-col min-h-screen"><div class="border-b px-4">{top}</div>
<div class="flex gap-6 max-w-6xl mx-auto"><div class="w-3/4">{main}</div>
<div class="w-1/4 text-sm">{side}</div></div>
<div class="mt-auto bg-gray-800 text-white p-6">{foot}</div></div>
--
<div class="sticky top-0 bg-white shadow">{top}</div>
<div class="grid grid-cols-12 gap-4"><div class="col-span-3">{side}</div>
<div class="col-span-9"><div class="p-4">{main}</div></div></div>
<div class="p-8 text-xs">{foot}</div>
--
<div class="container mx-auto">{top}<div class="space-y-6">{main}</div>
<div class="mt-10 border-t">{side}</div>{foot}</div>
== inner
<div class="rounded-lg bg-white p-4">{block}</div>
== menu
<div class="flex items-center h-14"><a href="/" class="font-bold text-xl">{owner}</a>
<div class="flex ml-8 space-x-4">[[<a href="{href}" class="text-sm hover:underline">{text}</a>
]]</div></div>
--
<div class="py-3"><span class="text-2xl">{owner}</span>
<ul class="inline-flex">[[<li class="px-2"><a href="{href}" class="block">{text}</a></li>
]]</ul></div>
== crumbs
<div class="text-xs text-gray-500 py-2">[[<a href="{href}"
 class="underline">{text}</a>|| / ]] / {last}</div>
--
<div class="flex text-xs">[[<div class="mr-1"><a href="{href}">{text}</a> &rsaquo;</div>]]
<div class="font-semibold">{last}</div></div>
== search
<form action="{action}" class="flex my-2"><input class="border rounded px-2" name="q">
<select class="border ml-1" name="near">[[<option value="{href}">{text}</option>
]]</select><button class="ml-1 px-3 bg-blue-600 text-white">Search {plural}</button></form>
== heading
<div class="text-3xl font-bold mt-2">{value}</div>
--
<div class="flex items-end"><img class="w-32 rounded" src="{photo}" alt="{alt}">
<h1 class="text-2xl ml-4">{value}</h1></div>
--
<h1 class="mb-4"><span class="text-4xl tracking-tight">{value}</span></h1>
== hero
<div class="mt-2 flex flex-wrap">[[<div class="mr-6"><div class="text-xs uppercase">{label}</div>
<div class="text-lg">{value}</div></div>
]]</div>
--
<div class="my-3 text-sm">[[<div class="py-1">
<span class="font-medium">{label}:</span> {value}</div>
]]</div>
--
<div class="grid grid-cols-2">[[<span class="text-gray-500">{label}</span>
<span class="text-right">{value}</span>
]]</div>
== specs
<div class="mt-6"><h2 class="text-xl">{title}</h2><div class="divide-y">
[[<div class="flex py-1"><div class="w-1/3 text-gray-600">{label}</div>
<div class="w-2/3">{value}</div></div>
]]</div></div>
--
<table class="w-full text-sm mt-4"><caption class="text-left">{title}</caption>
<tbody class="divide-y">
[[<tr class="odd:bg-gray-100"><td class="p-1">{label}</td><td class="p-1">{value}</td></tr>
]]</tbody></table>
--
<div class="mt-6 columns-2"><div class="font-bold">{title}</div>
[[<div class="truncate">{label}: {value}</div>
]]</div>
== link
<a href="{href}" class="text-blue-600 hover:underline">{text}</a>
--
<a href="{href}" class="inline-block rounded-full bg-gray-200 px-2">{text}</a>
== prose
<div class="mt-4 leading-relaxed"><h2 class="text-xl">{title}</h2>[[<p class="mb-2">{text}</p>
]]</div>
--
<div class="prose"><div class="font-bold">{title}</div><p>[[{text}
]]</p></div>
== similar
<div class="mt-8"><h2 class="text-xl">{title}</h2><div class="flex flex-wrap">
[[<div class="mr-6"><a href="{href}" class="block"><div class="text-lg">{name}</div></a>
<div class="text-xs">{note}</div></div>
]]</div></div>
--
<div class="my-3 text-sm"><div class="font-bold">{title}</div>
[[<div class="py-1"><a href="{href}" class="text-blue-600">{name}</a> <span
 class="font-medium">{note}</span></div>
]]</div>
== browse
<div class="mt-4"><div class="font-bold uppercase">{title}</div>
[[<a href="{href}" class="block py-1 text-sm">{text}</a>
]]</div>
== reviews
<div class="mt-8 space-y-4"><h2 class="text-xl">{title}</h2>
[[<div class="border rounded p-3"><div class="font-medium">{verdict}</div>
<div class="text-xs text-gray-500">{by} &middot; {when}</div><p class="mt-1">{text}</p></div>
]]</div>
--
<div class="mt-8"><div class="text-xl">{title} </div>
[[<div class="flex py-2"><div class="w-12 h-12 rounded-full"></div><div class="ml-3">
<span class="font-semibold">{by}</span><div class="text-sm">{text}</div></div></div>
]]</div>
== ad
<div class="my-4 bg-yellow-50 p-2 text-center"><span class="text-xs">Ad</span>
<a href="{href}" class="ml-2">{text}</a></div>
--
<div class="my-6"><div class="h-24 bg-gray-200"><a href="{href}" class="text-sm">{text}</a></div>
</div>
== tools
<div class="flex space-x-2 mt-1">[[<a href="{href}" class="rounded border px-2 text-xs">{text}</a>
]]</div>
== hidden
<div class="hidden"><div class="text-lg">{name}</div><div>{text}</div></div>
--
<div class="fixed inset-0" style="display:none"><p>{name}</p><p>{text}</p></div>
== footer
<div class="grid grid-cols-4">[[<a href="{href}" class="text-xs">{text}</a>
]]</div><div class="text-xs mt-4">&copy; {year} {owner}</div>
"""
