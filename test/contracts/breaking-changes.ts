import type { Json } from './document.ts';

type Part = Readonly<Record<string, unknown>>;
type Documents = Readonly<Record<'before' | 'after', Part>>;
/**
 * Who writes a value. The service must keep accepting what callers send, and callers must be able to read what the
 * service sends.
 */
type Writer = 'caller' | 'service';
type Step = { documents: Documents; writer: Writer; at: string; seen: ReadonlySet<string> };

const partsOf = (value: unknown): Readonly<Record<string, Part>> => Object(value) as Readonly<Record<string, Part>>;

const resolve = (document: Part, part: Part | undefined): Part => {
  if (typeof part?.$ref !== 'string') return part ?? {};
  const keys = part.$ref.split('/').slice(1);
  return resolve(
    document,
    keys.reduce<Part>((value, key) => partsOf(value)[key] ?? {}, document),
  );
};

/** A schema's alternatives, each with at most one type. */
const choicesOf = (document: Part, schema: Part): Part[] => {
  const resolved = resolve(document, schema);
  const choices = (resolved.anyOf ?? resolved.oneOf) as Part[] | undefined;
  if (choices) return choices.flatMap((choice) => choicesOf(document, choice));
  return Array.isArray(resolved.type) ? resolved.type.map((type) => ({ ...resolved, type })) : [resolved];
};

/** The values listed for a choice, if any. */
const listOf = ({ enum: listed, const: only }: Part): unknown[] | undefined =>
  (listed as unknown[]) ?? (only === undefined ? undefined : [only]);
const typeOf = (choice: Part): unknown => {
  if (listOf(choice)?.every(Number.isInteger)) return 'integer';
  return choice.type ?? (choice.properties && 'object') ?? (choice.items && 'array');
};

/** Returns the bounds that became stricter. */
const narrowedBounds = (before: Part, after: Part): string[] => {
  const lower = ['minimum', 'minLength', 'minItems'].filter(
    (name) => Number(after[name] ?? -Infinity) > Number(before[name] ?? -Infinity),
  );
  const upper = ['maximum', 'maxLength', 'maxItems'].filter(
    (name) => Number(after[name] ?? Infinity) < Number(before[name] ?? Infinity),
  );
  const isNewPattern = after.pattern !== undefined && after.pattern !== before.pattern;
  return [...lower, ...upper, ...(isNewPattern ? ['pattern'] : [])].map((name) => `${name} is stricter`);
};

const listChanges = (writer: Writer, before: Part, after: Part): string[] => {
  const [old, now] = [listOf(before), listOf(after)];
  if (writer === 'service') return [];
  return now
    ? (old ?? [undefined])
        .filter((value) => !now.includes(value))
        .map((value) => (old ? `${JSON.stringify(value)} is not allowed any more` : 'allows only some values'))
    : [];
};

const typesIn = (choices: readonly Part[]): unknown[] => [...new Set(choices.map(typeOf))];

const typeChanges = (writer: Writer, before: readonly Part[], after: readonly Part[]): string[] => {
  const [from, to] = writer === 'caller' ? [before, after] : [after, before];
  const allowed = typesIn(to).flatMap((type) => (type === 'number' ? [type, 'integer'] : [type]));
  if (allowed.includes(undefined)) return [];
  const gone = typesIn(from).filter((type) => !allowed.includes(type));
  return gone.map((type) => (writer === 'caller' ? `${type} is not allowed any more` : `may be ${type}`));
};

const fieldChanges = (step: Step, before: Part, after: Part): string[] => {
  const [old, now] = [partsOf(before.properties), partsOf(after.properties)];
  const [wasRequired, isRequired] = [before, after].map(({ required }) => (required ?? []) as string[]) as [
    string[],
    string[],
  ];
  const at = (name: string) => `${step.at}.${name}`;
  const removed = Object.keys(old)
    .filter((name) => !(name in now))
    .map((name) => `${at(name)} is removed`);
  const required = isRequired.filter((name) => !wasRequired.includes(name)).map((name) => `${at(name)} is required`);
  const optional = wasRequired
    .filter((name) => name in now && !isRequired.includes(name))
    .map((name) => `${at(name)} may be missing`);
  const kept = Object.keys(old).filter((name) => name in now);
  return [
    ...removed,
    ...(step.writer === 'caller' ? required : optional),
    ...kept.flatMap((name) => schemaChanges({ ...step, at: at(name) }, old[name], now[name])),
  ];
};

/** How much two objects have in common: their fields, and the constants that distinguish alternatives. */
const likeness = (one: Part, other: Part): number => {
  const constants = ({ properties }: Part) => JSON.stringify(Object.values(partsOf(properties)).map(listOf));
  const shared = Object.keys(partsOf(one.properties)).filter((name) => name in partsOf(other.properties));
  return shared.length + (constants(one) === constants(other) ? 100 : 0);
};
/** Returns an alternative's counterpart: the most similar one with the same type. */
const counterpart = (choice: Part, others: readonly Part[]): Part | undefined =>
  others
    .filter((other) => typeOf(other) === typeOf(choice))
    .toSorted((a, b) => likeness(choice, b) - likeness(choice, a))[0];

const schemaChanges = (step: Step, old: Part | undefined, now: Part | undefined): string[] => {
  const { documents, writer, at } = step;
  const pair = JSON.stringify([old, now]);
  if (step.seen.has(pair)) return [];
  const within = { ...step, seen: new Set([...step.seen, pair]) };
  const before = choicesOf(documents.before, old ?? {});
  const after = choicesOf(documents.after, now ?? {});
  const changes = before.flatMap((choice) => {
    const other = counterpart(choice, after);
    if (!other) return [];
    const narrowed = writer === 'caller' ? narrowedBounds(choice, other) : [];
    return [
      ...[...narrowed, ...listChanges(writer, choice, other)].map((change) => `${at}: ${change}`),
      ...fieldChanges(within, choice, other),
      ...(choice.items ? schemaChanges({ ...within, at: `${at}[]` }, choice.items as Part, other.items as Part) : []),
    ];
  });
  return [...typeChanges(writer, before, after).map((change) => `${at}: ${change}`), ...changes];
};

const contentChanges = (step: Step, before: Part, after: Part): string[] => {
  const [old, now] = [partsOf(before.content), partsOf(after.content)];
  return Object.keys(old).flatMap((type) =>
    type in now
      ? schemaChanges(step, old[type]?.schema as Part, now[type]?.schema as Part)
      : [`${step.at}: ${type} is removed`],
  );
};

const parameterChanges = (step: Step, before: Part, after: Part): string[] => {
  const byName = (document: Part, { parameters }: Part) =>
    new Map(
      ((parameters ?? []) as Part[]).map((one) => resolve(document, one)).map((one) => [`${one.in} ${one.name}`, one]),
    );
  const old = byName(step.documents.before, before);
  const now = byName(step.documents.after, after);
  const required = [...now].filter(([name, { required }]) => required && !old.get(name)?.required);
  const kept = [...old].flatMap(([name, one]) => {
    const at = `${step.at} ${name}`;
    const other = now.get(name);
    if (!other) return [`${at} is removed`];
    // On the wire, every parameter is a string.
    const [from, to] = [
      choicesOf(step.documents.before, one.schema as Part),
      choicesOf(step.documents.after, other.schema as Part),
    ];
    if (typesIn(to).includes('string') && !typesIn(from).includes('string')) return [];
    return schemaChanges({ ...step, at }, one.schema as Part, other.schema as Part);
  });
  return [...required.map(([name]) => `${step.at} ${name} is required`), ...kept];
};

const operationChanges = (documents: Documents, at: string, before: Part, after: Part): string[] => {
  const step = (place: string, writer: Writer): Step => ({
    documents,
    writer,
    at: `${at} ${place}`.trim(),
    seen: new Set(),
  });
  const [old, now] = [partsOf(before.responses), partsOf(after.responses)];
  const answers = Object.keys(old).flatMap((status) => {
    if (!(status in now)) return [`${at}: ${status} is removed`];
    const [was, is] = [resolve(documents.before, old[status]), resolve(documents.after, now[status])];
    return contentChanges(step(status, 'service'), was, is);
  });
  const ways = (operation: Part) =>
    ((operation.security ?? []) as Json[]).map((way) => Object.keys(way).join('+') || 'none');
  const gone = ways(before).filter((way) => !ways(after).includes(way));
  return [
    ...(before.operationId === after.operationId ? [] : [`${at}: its operationId was ${before.operationId}`]),
    ...gone.map((way) => `${at}: ${way} is no login any more`),
    ...parameterChanges(step('', 'caller'), before, after),
    ...contentChanges(step('body', 'caller'), Object(before.requestBody), Object(after.requestBody)),
    ...answers,
  ];
};

const webhookChanges = (documents: Documents, at: string, before: Part, after: Part): string[] =>
  contentChanges(
    { documents, writer: 'service', at, seen: new Set() },
    Object(before.requestBody),
    Object(after.requestBody),
  );

/**
 * Returns the changes that break callers and receivers written for an earlier OpenAPI document. New fields and new
 * values in a response field do not break any of them.
 */
export const breakingChanges = (before: Part, after: Part): string[] => {
  const documents = { before, after };
  const changesOf = (kind: 'paths' | 'webhooks', compare: typeof operationChanges): string[] =>
    Object.entries(partsOf(before[kind])).flatMap(([path, item]) =>
      Object.entries(partsOf(resolve(before, item))).flatMap(([method, operation]) => {
        const at = kind === 'paths' ? `${method.toUpperCase()} ${path}` : `webhook ${path}`;
        const other = partsOf(resolve(after, partsOf(after[kind])[path]))[method];
        return other ? compare(documents, at, operation, other) : [`${at} is removed`];
      }),
    );
  return [...new Set([...changesOf('paths', operationChanges), ...changesOf('webhooks', webhookChanges)])];
};
