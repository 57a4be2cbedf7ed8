import type { AuditDetail, StoredAuditEntry } from '#shared/domain/identity/audit.ts';

/**
 * Fields whose values are shown even though they are strings, lists or objects. Other strings, such as names, addresses
 * and notes, may be personal or secret.
 */
const shown: ReadonlySet<string> = new Set([
  ...(['permissions', 'locale', 'timeZone'] as const),
  ...(['situation', 'sensorId', 'regionId', 'schedule', 'recipients', 'escalation'] as const),
  ...(['format', 'authMethod', 'retrySchedule', 'eventTypes', 'situations'] as const),
  ...(['sensorMounting', 'workingMode', 'ledMode', 'fallingSensitivity', 'fallingTrigger'] as const),
  ...(['emergencyContacts', 'roster', 'sensorIds', 'rooms', 'subject', 'outcome'] as const),
  ...(['primaryMode', 'primaryPolicy', 'secondaryMode', 'secondaryPolicy', 'policy'] as const),
]);

/** The defaults of fields stored only if they differ from the default. */
const defaults: Readonly<Record<string, unknown>> = {
  requireOtp: false,
  escalation: [],
  untilAcknowledged: true,
  emergencyContacts: [],
};

const isPlain = (value: unknown): boolean => value === null || typeof value === 'boolean' || typeof value === 'number';

/** Returns a value as JSON with sorted keys, because the table does not preserve key order. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part instanceof Object && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

/** Returns the list elements missing from another list. */
const lacking = (list: readonly unknown[], other: readonly unknown[]): unknown[] => {
  const known = new Set(other.map(textOf));
  return list.filter((element) => !known.has(textOf(element)));
};

type Fields = Readonly<Record<string, unknown>>;
/** Returns the stored field value, or undefined if there is none. Configurations store their fields in `values`. */
const fieldValue = (item: object, field: string): unknown => {
  const fields: Fields = { ...item };
  return field in fields ? fields[field] : (fields.values as Fields | undefined)?.[field];
};

/**
 * Returns the changed fields of an item with their values. Leaves out values that do not fit in `bytes`, or that may be
 * personal or secret. For a list that does not fit, only the removed and added elements are returned.
 */
const auditDetails = (
  fields: readonly string[],
  replaced: readonly { before: object; after: object }[],
  bytes: number,
): AuditDetail[] => {
  let left = bytes;
  return fields.flatMap((field) => {
    const found = replaced.find(({ after }) => fieldValue(after, field) !== undefined);
    const absent = defaults[field] ?? null;
    const from = found && (fieldValue(found.before, field) ?? absent);
    const to = found && (fieldValue(found.after, field) ?? absent);
    const isShown = shown.has(field) || (isPlain(from) && isPlain(to));
    if (!found || !isShown || textOf(from) === textOf(to)) return [];
    const lists =
      Array.isArray(from) && Array.isArray(to) ? [{ field, from: lacking(from, to), to: lacking(to, from) }] : [];
    const sizeOf = (detail: AuditDetail) => Buffer.byteLength(JSON.stringify(detail)) + 1;
    const detail = [{ field, from, to }, ...lists].find((each) => sizeOf(each) <= left);
    if (!detail) return [];
    left -= sizeOf(detail);
    return [detail];
  });
};

/** The maximum size (bytes) of a line, excluding keys, that still costs a single write. */
const MAX_LINE_BYTES = 900;
const bytesOf = (line: object): number => Buffer.byteLength(JSON.stringify(line));

/** Field names past this length are left out, to keep a line below 1 KB. */
const MAX_NAMES_LENGTH = 400;
const firstNames = (names: Iterable<string>): string[] => {
  let length = 0;
  return [...names].filter((name) => {
    length += name.length + 3;
    return length <= MAX_NAMES_LENGTH;
  });
};

/** Returns a line with the fields that were set, and the values that may be shown. */
export const withFields = (
  line: Omit<StoredAuditEntry, 'changes' | 'details'>,
  fields: readonly string[],
  replaced: readonly { before: object; after: object }[],
): StoredAuditEntry => {
  const named = { ...line, changes: firstNames(fields), details: [] };
  const details = auditDetails(fields, replaced, MAX_LINE_BYTES - bytesOf(named));
  // Changed fields come first, so that they are not cut off.
  const changes = firstNames(new Set([...details.map(({ field }) => field), ...fields]));
  return { ...named, changes, details };
};
