import { readCommandLine } from '../lib/local/command-line.ts';
import { whereFrom, whereProblem } from '../lib/tools/where.ts';

const help = `npm run trace -- --event UUID       what became of an event: accepted, understood, judged by which rules, told whom
  --message UUID                    a message of a device, with all the events that it made
  --delivery ID                     a delivery, with the event that it tells of
  --stage prod                      in AWS: the stage's own table, found by its stack
  --table NAME                      in AWS: a table by its name
  --endpoint URL                    at an engine like DynamoDB Local (with --table, else sensor-cloud)
  --data-dir FOLDER                 of npm start, at work or at rest; without any of these DATA_DIR, or .local
  --customer N --sensor ID --webhook ID
                                    what is known already: without it each sensor (webhook) is asked for this id, which
                                    costs a read unit for each
  --json                            for machines: times and delays in ms
Reads only, by exact keys. Credentials and region: as the AWS CLI has them.
Ends with 0, with 1 when nothing is kept of it or AWS refuses, with 2 when it is called wrongly.`;

const text = { type: 'string' } as const;
const options = {
  ...{ event: text, message: text, delivery: text, stage: text, table: text, endpoint: text, 'data-dir': text },
  ...{ customer: text, sensor: text, webhook: text },
  json: { type: 'boolean', default: false },
} as const;

const kinds = ['event', 'message', 'delivery'] as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  const [kind, ...others] = kinds.filter((one) => values[one] !== undefined);
  if (!kind || others.length > 0) return 'one of --event, --message and --delivery says what to trace';
  const id = values[kind] ?? '';
  if (kind === 'delivery' && !/^[0-9a-z]{26}$/.test(id)) return '--delivery is an id of 26 characters';
  if (kind !== 'delivery' && !UUID.test(id)) return `--${kind} is a UUID`;
  if (!/^\d{0,15}$/.test(values.customer ?? '')) return '--customer is a number';
  return whereProblem(values);
});

// Who only asks for help need not wait for the SDK.
const [{ awsConfig }, { openTable }, { runTool }, { traceOf, traceText }] = await Promise.all([
  import('../lib/tools/aws/account.ts'),
  import('../lib/tools/table.ts'),
  import('../lib/tools/run.ts'),
  import('../lib/tools/trace/trace.ts'),
]);
const { customer, sensor: sensorId, webhook: webhookId, json } = given;
const known = { customerId: customer ? Number(customer) : undefined, sensorId, webhookId };
const kind = kinds.find((one) => given[one] !== undefined) ?? 'event';

process.exitCode = await runTool(async () => {
  const where = whereFrom(given, process.env.DATA_DIR || '.local', awsConfig(process.env));
  const { table, close } = await openTable(where);
  try {
    const trace = await traceOf(table, { kind, id: (given[kind] ?? '').toLowerCase(), known }, Date.now());
    console.log(json ? JSON.stringify(trace, null, 2) : traceText(trace));
    return true;
  } finally {
    await close();
  }
}, console.error);
