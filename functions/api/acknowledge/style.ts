/**
 * The page colors. Red: help is needed and no one is on the way. Blue: someone is on the way. Amber: someone should
 * check.
 */
const light =
  'color-scheme:light;--bg:#f4f5f3;--surface:#fff;--line:#76807b;--ink:#14191b;--ink-2:#434c50;--on-ink:#fff;' +
  '--red:#b3141b;--red-edge:#b3141b;--blue-ink:#164c9c;--blue-tint:#e7eefa;--blue-edge:#164c9c;' +
  '--amber-ink:#7d4a00;--amber-tint:#fff3d9;--amber-line:#a8701a;--focus:#0b63ce';
const dark =
  'color-scheme:dark;--bg:#0d1112;--surface:#161b1d;--line:#7b878c;--ink:#eef1ef;--ink-2:#bcc4c7;--on-ink:#0d1112;' +
  '--red:#b3141b;--red-edge:#f0625f;--blue-ink:#9fc5ff;--blue-tint:#14233b;--blue-edge:#6aa0ee;' +
  '--amber-ink:#ffc964;--amber-tint:#33270f;--amber-line:#a07c30;--focus:#8cc2ff';

/** The page style. The Content-Security-Policy contains its hash. */
export const style = [
  `:root{${light}}`,
  `@media(prefers-color-scheme:dark){:root{${dark}}}`,
  '*{box-sizing:border-box}',
  'html{background:var(--bg);color:var(--ink);font:1rem/1.5rem system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;' +
    '-webkit-text-size-adjust:100%}',
  'body{margin:0}h1,p{margin:0}svg{display:block;flex:none}',
  'main{min-height:100vh;max-width:32rem;margin:0 auto;padding:1.5rem 1rem;display:grid;align-content:start;gap:1rem}',
  '@media(min-width:40rem) and (min-height:50rem){main{align-content:center}}',
  '.home{display:flex;align-items:center;gap:.5rem;font-weight:600;overflow-wrap:anywhere}',
  '.call{display:grid;grid-template:"room time" auto "what what" auto "do do" auto/1fr auto;gap:0 1rem;' +
    'padding:1rem;border-radius:.625rem;border:3px solid}',
  '.long{grid-template:"room" auto "time" auto "what" auto "do" auto/1fr}.long .time{text-align:left;padding-top:.5rem}',
  '.open{background:var(--red);border-color:var(--red-edge);color:#fff}',
  '.check{background:var(--amber-tint);border:3px dashed var(--amber-line)}',
  '.taken{background:var(--blue-tint);border-color:var(--blue-edge)}',
  '.room{grid-area:room;min-width:0;overflow-wrap:anywhere}.room small{display:block;font-size:1rem}',
  '.room b{display:block;font:750 2rem/2.25rem system-ui,sans-serif;' +
    'font-variant-numeric:tabular-nums;hyphens:auto}.room b.number{font-size:6rem;line-height:5.5rem;white-space:nowrap}',
  '.taken .room,.taken .time b{color:var(--blue-ink)}.check .room b,.check .time b{color:var(--amber-ink)}',
  '.time{grid-area:time;text-align:right;font-size:.875rem;line-height:1.25rem}',
  '.time b{display:block;font:700 2rem/2.25rem system-ui,sans-serif;font-variant-numeric:tabular-nums}',
  '.time b.dated{font-size:1.125rem;line-height:1.5rem}',
  '.what{grid-area:what;min-width:0;overflow-wrap:anywhere;padding-top:.75rem}',
  'h1{font:700 1.75rem/2.125rem system-ui,sans-serif;display:flex;align-items:center;gap:.5rem}',
  '.what p{font-size:1.125rem;line-height:1.625rem;margin-top:.25rem}',
  '.call form{grid-area:do;margin-top:1rem}label{display:block;font-weight:600}',
  'input{display:block;width:100%;min-height:3rem;margin:.25rem 0 1rem;padding:0 .75rem;border:1px solid var(--line);' +
    'border-radius:.375rem;background:#fff;color:#14191b;font:inherit}',
  'button{width:100%;min-height:3.5rem;padding:.5rem 1rem;border:1px solid var(--line);border-radius:.375rem;' +
    'background:var(--surface);color:var(--ink);font:600 1rem/1.5rem system-ui,sans-serif;cursor:pointer}',
  '.call button{min-height:5rem;border:0;background:#fff;color:#8c0d13;font-size:1.625rem;line-height:2rem;' +
    'font-weight:700}.check button{background:var(--ink);color:var(--on-ink)}',
  ':focus-visible{outline:3px solid var(--focus);outline-offset:3px}.open :focus-visible{outline-color:#fff}',
  '.soft{color:var(--ink-2);overflow-wrap:anywhere}form .soft{margin-top:.5rem}a{color:inherit}',
].join('');
