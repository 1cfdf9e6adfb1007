// Draws the demo's output as docs/images/demo.svg: npm run -s demo | node scripts/demo-picture.ts

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const LINE_PX = 19;
const WIDTH_PX = 900;
const MOST_LINES = 40;
const TARGET = join(import.meta.dirname, '..', 'docs', 'images', 'demo.svg');

/** The first rule that matches gives the line its colour. */
const COLOURS: readonly (readonly [RegExp, string])[] = [
  [/\w fails #/, '#ff7b72'],
  [/ dies |ran out/, '#ffa657'],
  [/ approves /, '#7ee787'],
  [/ asks for changes /, '#d2a8ff'],
  [/ takes /, '#79c0ff'],
  [/ completes /, '#a5d6ff'],
  [/ is held| closes /, '#e3b341'],
];

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const lines = ['$ npm run demo'];
for await (const line of createInterface({ input: process.stdin })) lines.push(line);
// Progress notes are the least interesting: without them the story fits.
const story = lines.filter(
  (line) => !/^ +[\d.]+s {2}\w+: /.test(line) && !line.endsWith(' is ready'),
);
const shown = story.slice(0, MOST_LINES);
const rows = shown.map((line, index) => {
  const colour = COLOURS.find(([pattern]) => pattern.test(line))?.[1] ?? '#c9d1d9';
  const y = 52 + index * LINE_PX;
  return `<text x="22" y="${y}" fill="${colour}" xml:space="preserve">${escapeXml(line)}</text>`;
});
const height = 70 + shown.length * LINE_PX;
const dots = ['#ff5f56', '#ffbd2e', '#27c93f']
  .map((colour, index) => `<circle cx="${24 + index * 20}" cy="20" r="6" fill="${colour}"/>`)
  .join('');
mkdirSync(join(TARGET, '..'), { recursive: true });
writeFileSync(
  TARGET,
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PX}" height="${height}" viewBox="0 0 ${WIDTH_PX} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${dots}
${rows.join('\n')}
</svg>
`,
);
