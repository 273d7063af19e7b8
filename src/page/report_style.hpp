// The style sheet of report.html: light and dark, wide and narrow.
#pragma once

namespace cairn::page {

inline constexpr const char* report_style = R"css(
:root{color-scheme:light dark;--page:#fbfbf9;--card:#fff;--ink:#1c1d1f;--soft:#5d6167;--rule:#dedfdc;--grid:#ececea;
--good:#0f7b3f;--good-bg:#e6f4ea;--bad:#b3261e;--bad-bg:#fcebe9;
--s1:#2468b8;--s2:#c2570c;--s3:#1d7f64;--s4:#8a3ea8;--s5:#9a7b00;--s6:#c81e5b;--s7:#3b8ea5;--s8:#555555}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){--page:#16181b;--card:#1e2125;--ink:#e9eaec;--soft:#a3a8af;--rule:#373b41;
--grid:#2b2f34;--good:#5fd08f;--good-bg:#153423;--bad:#ff8a80;--bad-bg:#40201e;
--s1:#6aa9f4;--s2:#f0954b;--s3:#4cc39f;--s4:#c58be0;--s5:#d8b84a;--s6:#ff6f9f;--s7:#74c3d8;--s8:#b5b5b5}}
:root[data-theme=dark]{--page:#16181b;--card:#1e2125;--ink:#e9eaec;--soft:#a3a8af;--rule:#373b41;
--grid:#2b2f34;--good:#5fd08f;--good-bg:#153423;--bad:#ff8a80;--bad-bg:#40201e;
--s1:#6aa9f4;--s2:#f0954b;--s3:#4cc39f;--s4:#c58be0;--s5:#d8b84a;--s6:#ff6f9f;--s7:#74c3d8;--s8:#b5b5b5}
a{color:var(--s1)}kbd{font:inherit;border:1px solid var(--rule);border-radius:4px;padding:0 5px}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1080px;margin:0 auto;padding:24px 16px 64px}
h1{font-size:1.6rem;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:36px 0 10px}
p{margin:6px 0}
.soft{color:var(--soft)}
.verdict{border-radius:10px;padding:14px 18px;margin:18px 0}
.verdict strong{font-size:1.25rem;display:block}
.held{background:var(--good-bg)}.held strong,.yes{color:var(--good)}
.missed{background:var(--bad-bg)}.missed strong,.no{color:var(--bad)}
.yes,.no{font-weight:600;white-space:nowrap}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(155px,1fr));gap:10px}
.tiles div{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:8px 12px}
.tiles b{display:block;font-size:1.15rem;font-variant-numeric:tabular-nums}
.tiles span{color:var(--soft);font-size:.85rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.92rem;min-width:50%}
th,td{text-align:left;padding:5px 14px 5px 0;border-bottom:1px solid var(--rule);vertical-align:top}
th{color:var(--soft);font-weight:500}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:10px 12px;overflow:auto;max-height:70vh}
summary{cursor:pointer}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr));gap:12px}
figure{margin:0;background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:8px;min-width:0}
svg{display:block;width:100%;height:auto}
svg text{font-family:system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--ink)}
svg .title{font-size:14px;font-weight:600}
svg .legend{font-size:12.5px;fill:var(--soft)}
svg .tick{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
.grid{stroke:var(--grid)}.axis{stroke:var(--soft)}
.curve{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
.dot{stroke-width:7;stroke-linecap:round}
.s1{stroke:var(--s1)}.s2{stroke:var(--s2)}.s3{stroke:var(--s3)}.s4{stroke:var(--s4)}
.s5{stroke:var(--s5)}.s6{stroke:var(--s6)}.s7{stroke:var(--s7)}.s8{stroke:var(--s8)}
.level{stroke:var(--bad);stroke-dasharray:6 4;stroke-width:1.4;fill:none}
@media print{body{background:#fff}figure,tr{break-inside:avoid}}
)css";

}  // namespace cairn::page
