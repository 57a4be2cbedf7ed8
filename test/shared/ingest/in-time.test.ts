import { expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

test('a process frozen during a request does not queue messages more than 20 s later', async () => {
  let frozen = 0;
  const sent: string[] = [];
  const wrap = (runtime: Runtime): Runtime => ({
    ...runtime,
    now: () => runtime.now() + frozen,
    failpoint: (name) => {
      // The caller gets a 503 response long before the process continues.
      if (name === 'ingest.read' && sent.length === 1) frozen = 20_001;
    },
    queues: {
      ...runtime.queues,
      send: async (queue, messages) => {
        if (queue === 'events') sent.push(...messages.map(({ body }) => body));
        return runtime.queues.send(queue, messages);
      },
    },
  });
  const cloud = await startTestCloud({ wrap });
  try {
    const { client } = await createHome(await adminOf(cloud.url), 'maple', []);
    const { sensorId, device } = await linkSensor(client);
    sent.length = 0;
    const path = `/devices/${sensorId}/messages`;
    expect((await device.call('POST', path, fallMessage('calling', Date.now()))).status).toBe(202);
    expect((await device.call('POST', path, fallMessage('calling', Date.now() + 1))).status).toBe(503);
    expect(sent).toHaveLength(1);
  } finally {
    await cloud.stop();
  }
});
