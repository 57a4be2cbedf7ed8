import { readFileSync, writeFileSync } from 'node:fs';
import { accessesOf } from '../shared/store/access-pattern.ts';
import { accessPatterns } from '../shared/store/access-patterns.ts';
import { due, items, lists, tableDesign } from '../shared/store/table.ts';

const file = new URL('../shared/README.md', import.meta.url);
const [start, end] = ['<!-- table: start -->', '<!-- table: end -->'];

const code = (text: string) => `\`${text}\``;
const grid = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const kinds = () =>
  grid(
    ['item', tableDesign.partitionKey, tableDesign.sortKey],
    Object.entries(items).map(([kind, { pk, sk }]) => [kind, code(pk.template), code(sk.template)]),
  );

const keysOfIndex = {
  due: [[due.shard.template, due.at.template]],
  list: [
    [lists.feedbackOfSensor.template, lists.byTime.template],
    [lists.sensorsOfCustomer.template, 'packed sensor'],
  ],
} as const;

const indexes = () =>
  grid(
    ['index', 'partition key', 'sort key', 'holds'],
    Object.entries(tableDesign.indexes).flatMap(([name, { partitionKey, sortKey, projection }]) =>
      keysOfIndex[name as keyof typeof keysOfIndex].map(([pk, sk]) => [
        name,
        `${partitionKey} = ${code(pk)}`,
        `${sortKey} = ${code(sk)}`,
        projection,
      ]),
    ),
  );

const patterns = () =>
  grid(
    ['what is asked or written', 'call', 'index', 'keys', 'read', 'write', 'units'],
    Object.entries(accessPatterns).map(([call, pattern]) => {
      const { question, read, write, per = '' } = pattern;
      const accesses = accessesOf(pattern);
      const indexes = new Set(accesses.map(({ index }) => index ?? 'table'));
      const keys = new Set(accesses.map(({ key }) => code(key)));
      const units = [read, write].map((count) => String(count || ''));
      return [question, code(call), [...indexes].join(', '), [...keys].join('<br>'), ...units, per];
    }),
  );

const generated = () =>
  [
    start,
    '### Items',
    `TTL attribute: ${code(tableDesign.ttl)}. \`{0x}\` is a number padded to 16 digits, so that text order is its order.`,
    kinds(),
    '### Indexes',
    'Both are sparse: an item is in one only while it has its two attributes.',
    indexes(),
    '### Access patterns',
    'Units are those of one small example (items up to 1 KB, each list with one item), measured by the tests.',
    patterns(),
    end,
  ].join('\n\n');

const before = readFileSync(file, 'utf8');
const [from, to] = [before.indexOf(start), before.indexOf(end)];
if (from < 0 || to < from) throw new Error(`${file.pathname} lacks its markers`);
const after = before.slice(0, from) + generated() + before.slice(to + end.length);

if (process.argv.includes('--check')) {
  if (after !== before) console.error('shared/README.md is stale: npm run fix');
  process.exitCode = after === before ? 0 : 1;
} else writeFileSync(file, after);
