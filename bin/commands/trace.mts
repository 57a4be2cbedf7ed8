import { readCommandLine } from '../../lib/local/command-line.ts';
import { tableLocation, tableOptionsProblem } from '../../lib/tools/table-location.ts';

const help = `npm run trace -- --event UUID       prints an event's path: when it was accepted, which rules fired, who was notified
  --message UUID                    a device message with all its events
  --delivery ID                     a delivery with its event
  --stage prod                      in AWS: this stage's table
  --table NAME                      in AWS: the table with this name
  --endpoint URL                    an engine such as DynamoDB Local, with the table of --table or sensor-cloud
  --data-dir FOLDER                 npm start data folder, running or not (default: DATA_DIR or .local)
  --customer N --sensor ID --webhook ID
                                    known ids; without them all sensors (webhooks) are searched, at one read unit each
  --json                            prints JSON, with times and delays in ms
Only reads single items and runs queries, never scans. Uses the AWS CLI's credentials and region.
Exit code: 0; 1 if nothing is stored about the event or a call to AWS fails; 2 for invalid options.`;

const text = { type: 'string' } as const;
const options = {
  event: text,
  message: text,
  delivery: text,
  stage: text,
  table: text,
  endpoint: text,
  'data-dir': text,
  customer: text,
  sensor: text,
  webhook: text,
  json: { type: 'boolean', default: false },
} as const;

const kinds = ['event', 'message', 'delivery'] as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  const [kind, ...others] = kinds.filter((option) => values[option] !== undefined);
  if (!kind || others.length > 0) return 'exactly one of --event, --message and --delivery is required';
  const id = values[kind] ?? '';
  if (kind === 'delivery' && !/^[0-9a-z]{26}$/.test(id)) return '--delivery must be an id of 26 characters';
  if (kind !== 'delivery' && !UUID.test(id)) return `--${kind} must be a UUID`;
  if (!/^\d{0,15}$/.test(values.customer ?? '')) return '--customer must be a number';
  return tableOptionsProblem(values);
});

// Imported here so `--help` does not load the SDK.
const [{ awsConfig }, { openTable }, { runTool }, { createTrace, formatTrace }] = await Promise.all([
  import('../../lib/tools/aws/account.ts'),
  import('../../lib/tools/table.ts'),
  import('../../lib/tools/run.ts'),
  import('../../lib/tools/trace/trace.ts'),
]);
const { customer, sensor: sensorId, webhook: webhookId, json } = given;
const known = { customerId: customer ? Number(customer) : undefined, sensorId, webhookId };
const kind = kinds.find((name) => given[name] !== undefined) ?? 'event';

process.exitCode = await runTool(async () => {
  const where = tableLocation(given, process.env.DATA_DIR || '.local', awsConfig(process.env));
  const { table, close } = await openTable(where);
  try {
    const trace = await createTrace(table, { kind, id: (given[kind] ?? '').toLowerCase(), known }, Date.now());
    console.log(json ? JSON.stringify(trace, null, 2) : formatTrace(trace));
    return true;
  } finally {
    await close();
  }
}, console.error);
