import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../../lib/aws/settings/settings.ts';
import { variableNames, variables } from '../../lib/local/variables.ts';
import { documentedMessages } from '../../shared/domain/makers/device-messages.ts';
import { environment } from '../../shared/settings/environment.ts';
import { defaultDescription } from '../../shared/settings/hosts.ts';
import type { Host, Setting } from '../../shared/settings/setting.ts';
import { type Access, type AccessPattern, accessesOf } from '../../shared/store/access-pattern.ts';
import { accessPatterns } from '../../shared/store/access-patterns.ts';
import { due, items, lists, tableDesign } from '../../shared/store/table.ts';

type Json = Record<string, unknown>;
const start = '<!-- table: start -->';
const end = '<!-- table: end -->';

const code = (text: string) => `\`${text}\``;
const grid = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const kinds = () =>
  grid(
    ['item', tableDesign.partitionKey, tableDesign.sortKey],
    Object.entries(items).map(([kind, { pk, sk }]) => [kind, code(pk.template), code(sk.template)]),
  );

const indexes = () => {
  const keys = { due: [due], list: Object.values(lists) };
  return grid(
    ['index', 'partition key', 'sort key', 'holds'],
    (['due', 'list'] as const).flatMap((name) => {
      const { partitionKey, sortKey, projection } = tableDesign.indexes[name];
      return keys[name].map(({ pk, sk }) => [
        name,
        `${partitionKey} = ${code(pk.template)}`,
        `${sortKey} = ${code(sk.template)}`,
        projection,
      ]);
    }),
  );
};

const kindOfKey = new Map(Object.entries(items).map(([kind, { template }]) => [template, kind]));

const actionOf = ({ action, index }: Access) => action.replace('dynamodb:', '') + (index ? ` of ${index}` : '');
const accessedKind = ({ key }: Access) => kindOfKey.get(key) ?? code(key);

/** Exports and erasures access nearly every kind of item, so only their number is shown. */
const MAX_KINDS = 30;

/** Returns the accesses in a call by action: `GetItem user, owner; Query of due DUE#{shard}`. */
const accessed = (accesses: readonly Access[]): string =>
  [...Map.groupBy(accesses, actionOf)]
    .map(([action, to]) => {
      const kinds = to.length > MAX_KINDS ? `${to.length} kinds of items` : to.map(accessedKind).join(', ');
      return `${action} ${kinds}`;
    })
    .join('; ');

const unitsOf = ({ read, write, growth }: AccessPattern): string => {
  const units = [read && `${read} R`, write && `${write} W`].filter(Boolean).join(' ');
  if (!growth) return units;
  return /^(once )?per /.test(growth) ? `${units} ${growth}` : `${units}, ${growth}`;
};

const patterns = Object.entries(accessPatterns).map(([call, pattern]) => {
  const accesses = accessesOf(pattern);
  return { call: code(call), question: pattern.purpose, accesses, units: unitsOf(pattern) };
});

/** Returns the calls that access one kind of item, by action and units. */
const singleAccessCalls = () => {
  const rows = patterns.flatMap(({ call, accesses: [access, ...further], units }) =>
    access && further.length === 0
      ? [{ to: `${actionOf(access)} | ${units}`, call: `${call} ${accessedKind(access)}` }]
      : [],
  );
  return grid(
    ['action', 'units', 'calls, each with its item'],
    [...Map.groupBy(rows, ({ to }) => to)]
      .map(([to, same]) => [to, same.map(({ call }) => call).join(', ')])
      .toSorted(),
  );
};

const otherCalls = () =>
  grid(
    ['purpose', 'call', 'accesses', 'units'],
    patterns
      .filter(({ accesses }) => accesses.length > 1)
      .map(({ question, call, accesses, units }) => [question, call, accessed(accesses), units]),
  );

const tableDesignText = () =>
  [
    start,
    '## Items',
    `TTL attribute: ${code(tableDesign.ttl)}. \`{0x}\` is a number padded to 16 digits, so that keys sort by number; \`{=x}\` is an unescaped text.`,
    kinds(),
    '## Indexes',
    'Both are sparse: an item is in an index only while it has both key attributes.',
    indexes(),
    '## Access patterns',
    'R and W are the read and write units of one small example, as the tests measure them: items of up to 1 KB, one item in each list.',
    'Calls that access one kind of item; access-patterns.ts states their purpose:',
    singleAccessCalls(),
    'All other calls:',
    otherCalls(),
    end,
  ].join('\n\n');

/** Returns a setting's default, or an example if it has none. */
const defaultCell = (setting: Setting, host: Host): string => {
  const text = defaultDescription(setting, host);
  const example = setting.about?.example;
  return text === 'none' && example !== undefined ? `none; example: ${code(example)}` : text;
};

/** Returns a setting's help, with other settings named as they are in a stage. */
const stageHelp = (help = ''): string =>
  help.replaceAll(/`(\w+)`/g, (name, variable: string) => {
    const { about }: Setting = environment[variable as keyof typeof environment] ?? {};
    return about?.stage === undefined ? name : code(about.stage);
  });

const stages = () => {
  const rows = Object.entries<Setting>(settings).map(([name, setting]) => {
    const prod = stageHelp(defaultCell(setting, 'prod'));
    const dev = stageHelp(defaultCell(setting, 'dev'));
    return [code(name), stageHelp(setting.about?.help), dev === prod ? prod : `${prod}; in dev and test ${dev}`];
  });
  return [start, grid(['setting', 'description', 'default'], rows), end].join('\n\n');
};

const localVariables = () =>
  [
    start,
    grid(
      ['variable', 'description', 'default'],
      variableNames.map((name) => [code(name), variables[name].about.help, defaultCell(variables[name], 'local')]),
    ),
    end,
  ].join('\n\n');

/** Describes a field's type in words, from its JSON Schema. */
const typeOf = ({ type, enum: choices, items, properties, const: only, anyOf }: Json): string => {
  if (only !== undefined) return code(JSON.stringify(only));
  if (choices) return (choices as unknown[]).map((choice) => code(JSON.stringify(choice))).join(', ');
  if (items) return `array of ${typeOf(items as Json)}`;
  if (properties)
    return `{ ${Object.entries(properties as Record<string, Json>)
      .map(([name, field]) => `${name}: ${typeOf(field)}`)
      .join(', ')} }`;
  if (anyOf) return (anyOf as Json[]).map(typeOf).join(' or ');
  return String(type ?? 'anything');
};

/** Returns a message's fields, one row each, followed by the fields in nested objects and array items. */
const fieldsOf = (schema: Json, before = ''): string[][] => {
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([name, field]) => {
    const inner = (field.items ?? field) as Json;
    const own = [code(before + name), inner.properties ? (field.items ? 'array' : 'object') : typeOf(field)];
    const row = [...own, required.includes(name) ? 'yes' : '', String(field.description ?? '')];
    return [row, ...(inner.properties ? fieldsOf(inner, `${before}${name}${field.items ? '[]' : ''}.`) : [])];
  });
};

/** Returns a maker's message types. A field described the same way in an earlier message is listed by name only. */
const kindsOf = (title: string, maker: 'makerA' | 'makerB'): string[] => {
  const described = new Map<string, string>();
  return documentedMessages(maker).flatMap(({ id, about, example, schema }) => {
    const shown = ['```json', JSON.stringify(example), '```'].join('\n');
    const rows = fieldsOf(schema);
    const changed = rows.filter((row) => described.get(row[0] ?? '') !== row.join());
    const unchanged = rows.filter((row) => !changed.includes(row)).map(([name]) => name);
    for (const row of changed) described.set(row[0] ?? '', row.join());
    const table = grid(['field', 'type', 'required', 'description'], changed);
    const rest =
      unchanged.length > 0
        ? [`Other fields, as described in the nearest section above that lists them: ${unchanged.join(', ')}.`]
        : [];
    return [`### ${title}: ${id.replaceAll(/^Maker[AB]|Message$/g, '')}`, about, shown, table, ...rest];
  });
};

const messageKinds = () => [start, ...kindsOf('Maker A', 'makerA'), ...kindsOf('Maker B', 'makerB'), end].join('\n\n');

const files = {
  '../../shared/ingest/MESSAGES.md': messageKinds,
  '../../shared/store/TABLE.md': tableDesignText,
  '../../lib/aws/README.md': stages,
  '../../lib/local/SETTINGS.md': localVariables,
};
for (const [path, render] of Object.entries(files)) {
  const file = new URL(path, import.meta.url);
  const before = readFileSync(file, 'utf8');
  const from = before.indexOf(start);
  const to = before.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file.pathname} lacks the markers ${start} and ${end}`);
  const after = before.slice(0, from) + render() + before.slice(to + end.length);
  if (!process.argv.includes('--check')) writeFileSync(file, after);
  else if (after !== before) {
    console.error(`${path.replace('../../', '')} is out of date. Run npm run fix.`);
    process.exitCode = 1;
  }
}
