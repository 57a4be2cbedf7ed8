import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAudited } from '#shared/api/operation.ts';
import { AuditEntry } from '#shared/domain/identity/audit.ts';
import { objectKinds } from '#shared/domain/identity/audit-kinds.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Table } from '#shared/store/engine/client.ts';
import type { Key } from '#shared/store/key.ts';
import { items } from '#shared/store/table.ts';
import { withOwnPassword } from '../fixtures/client.ts';
import { call } from './calls.ts';
import { exampleOf, operations, pathOf, permittedClient } from './operations.ts';
import { createWorld, idsFor, type World } from './world.ts';

type Kept = Omit<AuditEntry, 'date'> & Key & { ttl: number };
/** The audit lines currently in the table. */
const kept = new Map<string, Kept>();
const wrap = (runtime: Runtime): Runtime => {
  const { table } = runtime;
  const write: Table['write'] = async (...writes) => {
    const result = await table.write(...writes);
    for (const write of writes) {
      if ('put' in write && items.auditLine.read(write.put)) kept.set(write.put.sk, write.put as Kept);
      if ('remove' in write) kept.delete(write.remove.sk);
    }
    return result;
  };
  return { ...runtime, table: { ...table, write } };
};

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { wrap });
});
afterAll(async () => {
  await world.stop();
});

/** Returns the audit lines added while `run` is running. */
const added = async (run: () => Promise<unknown>): Promise<Kept[]> => {
  const before = new Set(kept.keys());
  await run();
  return [...kept.values()].filter(({ id }) => !before.has(id));
};
/** Calls an operation with its example, and returns the audit lines. */
const audit = async ([name, operation]: (typeof operations)[number]) => {
  const example = await exampleOf(name, world);
  const client = example.client ?? (await permittedClient(operation, world));
  const params = { ...idsFor(operation.path, world.ours.ids), ...example.params };
  let requestId: string | null = null;
  const lines = await added(async () => {
    const answer = await client.call(
      operation.method,
      `${pathOf(operation, params)}?${new URLSearchParams(example.query)}`,
      withOwnPassword(example.body, client),
    );
    expect(answer.status, answer.text).toBe(operation.success);
    requestId = answer.headers.get('x-request-id');
  });
  // An import applies its changes after the response, with audit lines for each change.
  if (name === 'createImport') await world.idle();
  return { lines, requestId, body: example.body };
};

/**
 * Operations that never change anything, or change nothing in their example, such as a password reset for an unknown
 * user.
 */
const unchanging = [
  'receiveCanary',
  'requestPasswordReset',
  'beginOidc',
  'withdrawAcknowledgement',
  'withdrawFallAcknowledgement',
  'updateReplay',
  'markSeen',
  'cancelReplay',
  'fetchFeed',
  'getExport',
];
/** Operations on objects without a customer: objects shared by system admins, and unassigned ones. */
const ofNoCustomer =
  /^deleteCustomer$|^(approve|cancel)Erasure$|Firmware$|FirmwareDefault|DefaultFirmware$|ProvisioningKey$|^registerDevice$|^finishOidc$/;
/** The maximum line size, in bytes, counting names and values. */
const KB = 1_024;
/**
 * Returns a generous estimate of a line's size in bytes.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
const sizeOf = (line: Kept): number => Buffer.byteLength(JSON.stringify(line));

const changing = operations.filter(([name, operation]) => isAudited(operation) && !unchanging.includes(name));
const others = operations.filter(([name, operation]) => !isAudited(operation) || unchanging.includes(name));

describe.each(changing)('%s', (name, operation) => {
  test(`${name} writes one audit line of at most 1 KB, with the object and field names, but no values`, async () => {
    const { lines, requestId, body } = await audit([name, operation]);
    expect(lines.map((line) => line.operation)).toEqual([name]);
    const [line] = lines as [Kept];
    const { pk, sk: _, ttl, ...rest } = line;
    expect(AuditEntry.omit({ date: true }).strict().parse(rest)).toEqual(rest);
    const customerId = ofNoCustomer.test(name) ? 0 : world.ours.customerId;
    const isOfAnother = name === 'createCustomer';
    expect(pk).toBe(items.auditLine.pk({ customerId: isOfAnother ? line.object.id : customerId }));
    expect(line).toMatchObject({ requestId, refused: false, address: '127.0.0.1' });
    expect(ttl).toBeCloseTo(Date.now() / 1_000 + 400 * 86_400, -2);
    const fields = body !== null && typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : [];
    // Longer lists are truncated.
    if (fields.length < 30) expect(line.changes).toEqual(expect.arrayContaining(fields));
    expect(objectKinds).toContain(line.object.kind);
    expect(sizeOf(line)).toBeLessThanOrEqual(KB);
  });
});

test('read requests, device messages and no-op writes create no audit entries', async () => {
  for (const other of others) expect({ [other[0]]: (await audit(other)).lines }).toEqual({ [other[0]]: [] });
});

test('every forbidden request from a known caller is audited with caller and operation', async () => {
  let ahead = 0;
  for (const [name, operation] of operations) {
    const may = 'may' in operation && operation.may !== 'logged_in' ? [operation.may].flat() : [];
    if (may.length === 0) continue;
    // Identical refusals within a minute, and many refusals for one caller, share one entry.
    ahead += 120_000;
    world.setAhead(ahead);
    const client = await world.without(may);
    const params = operation.within === 'user' ? { userId: world.ours.ids.userId ?? '' } : {};
    await call(world, [name, operation], { client, params });
    ahead += 120_000;
    world.setAhead(ahead);
    const lines = await added(() => call(world, [name, operation], { client, params }));
    expect(lines, name).toEqual([
      expect.objectContaining({ operation: name, refused: true, changes: [], pk: lines[0]?.pk }),
    ]);
    expect(lines[0]?.actor, name).toMatchObject({ kind: 'user', name: `without-${may.join('-')}` });
    expect(lines[0]?.pk).toBe(items.auditLine.pk({ customerId: world.ours.customerId }));
  }
});
