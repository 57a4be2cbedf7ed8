import { expect, test } from 'vitest';
import { hashSecret } from '#shared/auth/tokens.ts';
import { CHECK_EVERY, ingest } from '#shared/ingest/ingest.ts';
import { ingestUses } from '#shared/ingest/uses.ts';
import { type Measure, noMetrics } from '#shared/observability/metrics.ts';
import { composeDeps, type Runtime } from '#shared/runtime/deps.ts';
import { changes } from '#shared/store/engine/request.ts';
import { items } from '#shared/store/table.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

const report = (presenceDetected: boolean) =>
  JSON.stringify({ type: 4, payload: { presenceDetected, timestamp: Date.now() } });
const fall = () => JSON.stringify(fallMessage('calling', Date.now()));

test('a device can have 1,000 pending requests, or 3,000 if it sends falls', async () => {
  const measured: string[] = [];
  let isStuck = true;
  let runtime: Runtime | undefined;
  const cloud = await startTestCloud({
    log: () => {},
    wrap: (original) => {
      runtime = original;
      const failpoint: Runtime['failpoint'] = (name) => {
        if (isStuck && name === 'process.judged') throw new Error('nothing is processed');
      };
      return { ...original, failpoint };
    },
  });
  try {
    const { client } = await createHome(await adminOf(cloud.url), 'maple', []);
    const { sensorId, deviceToken, device: caller } = await linkSensor(client);
    if (!runtime) throw new Error('the cloud has no runtime');
    const measure = ((name: string) => void measured.push(name)) as Measure;
    const deps = await composeDeps({ ...runtime, metrics: { ...noMetrics, measure } }, [...ingestUses, 'devices.get']);
    const hash = hashSecret(deviceToken);
    const post = async (text: string) => {
      const device = await deps.store.devices.get(hash);
      return device && ingest(deps, device, text);
    };
    const { table } = runtime;
    const haveCalled = (calls: number) => table.update(items.device({ hash }), changes({ set: { calls } }));

    await haveCalled(1_000 + CHECK_EVERY - 1);
    expect(measured).not.toContain('DevicesHeldBack');
    expect(await post(report(true))).toEqual({ warnings: [] });
    expect(measured.filter((name) => name === 'DevicesHeldBack')).toHaveLength(1);
    expect(await post(report(false))).toEqual({ refusal: 'rate_limited' });
    expect(await post(fall())).toEqual({ warnings: [] });
    const answer = await caller.call('POST', `/devices/${sensorId}/messages`, report(false));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5']);

    await haveCalled(3_000);
    expect(await post(fall())).toEqual({ warnings: [] });
    expect(await post(fall())).toEqual({ refusal: 'rate_limited' });

    isStuck = false;
    await expect.poll(() => post(report(true))).toEqual({ warnings: [] });
    expect(await deps.store.devices.get(hash)).toMatchObject({ isHeldBack: false });
  } finally {
    await cloud.stop();
  }
});
