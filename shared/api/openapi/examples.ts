import { exampleValues } from '#shared/domain/formats/payload-parts.ts';
import { type Json, SCHEMA_PREFIX } from './schemas.ts';

const { sensorId, point } = exampleValues;
const [EARLIER, TIME, LATER] = [1_795_000_000_000, 1_795_230_444_137, 1_795_316_844_137];
const EVENT_ID = 'f603585e-d6b4-5a8c-9897-a4d1548407ea';
const WEBHOOK_ID = '0b6c4a1e-5d1f-4c7a-9a53-2f1f6f0c9d11';
const DELIVERY_ID = '01k9x3v6zq8h4m2n7c5r0t1w2y';
const AUDIT_ID = '202611202347240a1b2c3d4e5f';
const SECRET = 'shown-once-and-never-again';
const MESSAGE = { type: 5, payload: { status: 'calling', timestamp: 1_795_230_352_137 } };

/**
 * Response field values, by name. If there are several, the example is the first one allowed by the field schema. Some
 * fields need no entry: those set by a request (the request example is used), those that are usually null, and those
 * whose default, first choice or lowest value is a good example.
 */
const values: Readonly<Record<string, readonly unknown[]>> = {
  accountId: [1_042],
  action: ['fall_detected'],
  actor: [{ kind: 'user', id: '12', name: 'Night Shift' }],
  address: ['192.0.2.10'],
  allSend: [true],
  attempts: [1],
  body: [JSON.stringify(MESSAGE)],
  botId: [1_042],
  bottomRightX: [0],
  bottomRightY: [100],
  canLogin: [true],
  changes: [['name', 'recipients']],
  config: [
    {
      room: { sensorMounting: 'wall', xMin: 180, xMax: 180, yMin: 30, yMax: 350 },
      firmwareToInstall: 42,
      maxReportDelay: 120,
    },
  ],
  connect: [14],
  createDate: [EARLIER],
  customerId: [7],
  date: [TIME, '2026-11-20'],
  deliveryId: [DELIVERY_ID],
  description: ['The dog lay down in front of the bed'],
  deviceToken: [SECRET],
  deviceUrl: ['https://devices.example.com'],
  display_name: ['Nurse call, ward 2'],
  dns: [3],
  durationMs: [86],
  event: ['fall/fall_detected'],
  eventId: [245_166_702_886_912, EVENT_ID],
  eventType: [5],
  eventUuid: [EVENT_ID],
  expires: [LATER],
  fallState: ['calling'],
  falls: [3],
  fallsTold: ['some'],
  feedback: [null],
  firmwareVersion: [42],
  first: [[{ id: sensorId, name: 'Room 1' }]],
  firstByte: [61],
  from: [EARLIER, '2026-11-01'],
  gaps: [[{ kind: 'sensor_offline', sensorIds: [sensorId], total: 1 }]],
  headers: [{ 'content-type': 'application/json', 'webhook-id': DELIVERY_ID }],
  id: [4, sensorId, WEBHOOK_ID, DELIVERY_ID, AUDIT_ID],
  isActive: [true],
  isCurrent: [true],
  isEnabled: [true],
  isSilenceTold: [true],
  key: [SECRET],
  kinds: [['email', 'push']],
  lastSeen: [TIME],
  lastSuccess: [TIME],
  lastUsed: [TIME],
  locale: ['en'],
  locales: [['de', 'en']],
  manufacturers: [['maker_a', 'maker_b']],
  medianMs: [94_000],
  month: ['2026-11'],
  name: ['Room 1'],
  'OnDuty.name': ['Night Shift'],
  'OidcIssuer.name': ['Maple House'],
  'Replay.state': ['running'],
  'Region.kind': ['bed'],
  'Region.name': ['Bed'],
  names: [{ sensors: { [sensorId]: 'Room 1' }, rules: {}, webhooks: {}, users: {} }],
  normalizedCoordinates: [point],
  notifiedDate: [TIME],
  number: [1],
  object: [{ kind: 'rule', id: '4' }],
  operation: ['updateRule'],
  optimizationEnabled: [true],
  p90Ms: [210_000],
  pairingCode: ['7KQ2MXPD'],
  pairingCodeExpires: [LATER],
  perPage: [100],
  perPageMaximum: [1_000],
  positionIdx: [1],
  prefix: ['shown-on'],
  presence: [true],
  profileImageId: [EVENT_ID],
  provenDate: [EARLIER],
  pushKey: ['BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM'],
  rateLimit: [50],
  raw: [MESSAGE],
  reachableBy: [['push']],
  receiveDate: [TIME],
  recoveryCodes: [Array.from({ length: 10 }, (_, index) => `3f9k2-m7q8${index}`)],
  referenceDate: [TIME],
  region: [{ positionIdx: 1, name: 'Bed' }],
  registrationUntil: [LATER],
  requestId: [EVENT_ID],
  ruleCustomerId: [7],
  ruleHitId: [31],
  ruleId: [4],
  ruleName: ['Falls at night'],
  rules: [2],
  secret: ['JBSWY3DPEHPK3PXP'],
  sendTryTimes: [[TIME]],
  sensorEventId: [EVENT_ID],
  sensorId: [sensorId],
  sensorIds: [[sensorId]],
  sensorName: ['Room 1'],
  sensors: [12],
  sent: [40],
  serviceName: ['Sensor Cloud'],
  since: [TIME],
  startDate: [TIME],
  state: ['delivered', 'completed'],
  status: [204],
  timeZone: ['Europe/Berlin'],
  tls: [32],
  to: [LATER, '2026-11-30'],
  token: [SECRET],
  topLeftX: [-100],
  topLeftY: [300],
  total: [1],
  type: ['fall'],
  unheardRules: [[]],
  troubles: [[]],
  until: [LATER],
  updateDate: [TIME],
  uri: ['otpauth://totp/Sensor%20Cloud:night.shift?secret=JBSWY3DPEHPK3PXP&issuer=Sensor%20Cloud'],
  url: ['https://cloud.example.com'],
  userAgent: ['Mozilla/5.0 (X11; Linux x86_64)'],
  userId: [null, 12],
  uuid: [EVENT_ID],
  version: ['1.0.0'],
  wasSend: [true],
  webhookId: [WEBHOOK_ID],
};

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};
const choicesOf = (schema: Json): Json[] | undefined => (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
const allowsText = ({ format, pattern = '', maxLength }: Json, text: string): boolean =>
  new RegExp(String(format === 'uuid' ? '^[0-9a-f-]{36}$' : pattern)).test(text) &&
  text.length <= Number(maxLength ?? text.length);
const allowsNumber = ({ minimum, maximum }: Json, value: number): boolean =>
  value >= Number(minimum ?? value) && value <= Number(maximum ?? value);

type Schemas = Readonly<Record<string, Json>>;
const idOf = ({ $ref }: Json): string => String($ref ?? '').slice(SCHEMA_PREFIX.length);
const fieldsOf = (schema: Json) =>
  ({ required: [], properties: {}, ...schema }) as unknown as {
    required: string[];
    properties: Readonly<Record<string, Json>>;
  };

/** Whether a schema allows a value, as far as the schemas in this document can tell. */
const isAllowed = (schemas: Schemas, referring: Json, value: unknown): boolean => {
  const allows = (schema: unknown, part: unknown) => isAllowed(schemas, (schema ?? {}) as Json, part);
  const schema = schemas[idOf(referring)] ?? referring;
  const choices = choicesOf(schema);
  if (choices) return choices.some((choice) => allows(choice, value));
  const type = typeOf(value);
  const types = [schema.type ?? type].flat().map((name) => (name === 'integer' ? 'number' : name));
  const listed = schema.enum ?? schema.const;
  if (!types.includes(type) || (listed !== undefined && !([listed].flat() as unknown[]).includes(value))) return false;
  if (typeof value === 'string') return allowsText(schema, value);
  if (typeof value === 'number') return allowsNumber(schema, value);
  if (Array.isArray(value))
    return value.length >= Number(schema.minItems ?? 0) && value.every((item) => allows(schema.items, item));
  const { required, properties } = fieldsOf(schema);
  const fields = Object.entries<unknown>(Object(value));
  return (
    required.every((name) => name in Object(value)) && fields.every(([name, field]) => allows(properties[name], field))
  );
};

const scalarOf = ({ const: only, enum: choices, type, minimum }: Json): unknown => {
  if (only !== undefined) return only;
  if (choices) return (choices as unknown[])[0];
  if (type === 'boolean') return false;
  return type === 'string' ? '' : Math.max(0, Number(minimum ?? 0));
};

/**
 * Creates a function that returns a schema example: the declared one, or one composed of field examples. `sentBy`:
 * request body examples, keyed by the id of the response schema.
 */
const exampleWriter = (schemas: Schemas, sentBy: ReadonlyMap<string, unknown>) => {
  const write = (
    referring: Json,
    sent: unknown = sentBy.get(idOf(referring)),
    names: readonly string[] = [],
  ): unknown => {
    const id = idOf(referring);
    const schema = schemas[id] ?? referring;
    const declared = (schema.examples ?? []) as unknown[];
    const named = names.map((name) => values[name]).find(Boolean) ?? [];
    const known = [...declared, sent, ...named, schema.default];
    const allowed = known.find((value) => value !== undefined && isAllowed(schemas, schema, value));
    if (allowed !== undefined) return allowed;
    const [choice] = choicesOf(schema) ?? [];
    const isObject = choice && idOf(choice) !== '';
    if (!isObject && isAllowed(schemas, schema, null)) return null;
    return choice ? write(choice, sent, names) : compose(id, schema, sent);
  };
  const compose = (id: string, schema: Json, sent: unknown): unknown => {
    if (schema.type === 'array') return [write((schema.items ?? {}) as Json, Object(sent)[0])];
    if (schema.type !== 'object') return scalarOf(schema);
    const { required, properties } = fieldsOf(schema);
    const partOf = (name: string) => write(properties[name] ?? {}, Object(sent)[name], [`${id}.${name}`, name]);
    return Object.fromEntries(required.map((name) => [name, partOf(name)]));
  };
  return (schema: Json) => write(schema);
};

type Media = { schema: Json; example?: unknown };
type Content = Readonly<Record<string, Media>>;
type Described = { requestBody?: { content: Content }; responses: Readonly<Record<string, { content?: Content }>> };

const jsonOf = (part: { content?: Content } | undefined): Media | undefined => part?.content?.['application/json'];

/** Returns request body examples, keyed by the id of the response schema. */
const sentById = (operations: readonly Described[]): ReadonlyMap<string, unknown> => {
  const sentBy = new Map<string, unknown>();
  for (const { requestBody, responses } of operations) {
    const { example: sent } = jsonOf(requestBody) ?? {};
    const ids = Object.values(responses).map((response) => idOf(jsonOf(response)?.schema ?? {}));
    // Objects created with a secret are listed without it.
    const all = ids.flatMap((id) => [id, id.replace(/^Created/, '')]);
    for (const id of all)
      if (sent && id) sentBy.set(id, Array.isArray(sent) ? sent : { ...sent, ...Object(sentBy.get(id)) });
  }
  return sentBy;
};

/**
 * Adds an example to each operation response. Removes schema examples, because operations, webhooks and their bodies
 * show them.
 */
export const addExamples = (schemas: Readonly<Record<string, Json>>, described: readonly Json[]): void => {
  const operations = described as unknown as Described[];
  const exampleOf = exampleWriter(schemas, sentById(operations));
  const responses = operations.flatMap((operation) => Object.values(operation.responses)).map(jsonOf);
  for (const response of responses) if (response) response.example ??= exampleOf(response.schema);
  const bodies = operations.flatMap(({ requestBody }) => jsonOf(requestBody)?.schema ?? []);
  for (const schema of [...Object.values(schemas), ...bodies] as Json[]) delete schema.examples;
};
