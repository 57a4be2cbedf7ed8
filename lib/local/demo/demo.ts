import type { ServerResponse } from 'node:http';
import { systemClock } from '../clock.ts';
import type { Cloud } from '../cloud.ts';
import { type Received, startReceiver } from './receiver.ts';
import { seedDemo } from './seed.ts';
import { simulate } from './simulator.ts';
import { voiceOf } from './voice.ts';

type Say = (line: string) => void;

/** The interval (ms) at which one of the demo's sensors sends something. */
const EVERY_MS = 5_000;

/** The port of the demo's receiver when it is free, so that the webhook of an earlier start is still valid. */
const RECEIVER_PORT = 3_999;

/** Runs a demo care home: creates it, sends messages of its sensors, receives its alarms, and prints what to try. */
export const startDemo = async ({ url, mqttUrl, runtime }: Cloud, say: Say): Promise<{ stop: () => void }> => {
  const hear = (request: Received, response: ServerResponse): void => {
    const { event, rule, sensor } = JSON.parse(request.body);
    say(`nurse call: ${rule?.title ?? event.action} (${sensor.name})`);
    response.end();
  };
  const receiver = await startReceiver(hear, RECEIVER_PORT).catch(() => startReceiver(hear));
  const demo = await seedDemo(runtime, url, receiver.url);
  const voices = await Promise.all(demo.sensors.map((sensor) => voiceOf(url, mqttUrl, sensor)));
  const stopMoving = simulate(voices, systemClock, EVERY_MS, say);
  say(
    demo.password
      ? `demo user: ${demo.username}  password: ${demo.password}`
      : `demo user: ${demo.username} (its password was shown at the first start)`,
  );
  say('try:');
  say(`  export TOKEN=${demo.token}`);
  say(`  curl -H "Authorization: Bearer $TOKEN" ${url}/sensors`);
  say(`  curl -H "Authorization: Bearer $TOKEN" ${url}/customers/${demo.customerId}/rule-hits`);
  say(`  curl -H "Authorization: Bearer $TOKEN" ${url}/users/me`);
  return {
    stop: () => {
      stopMoving();
      for (const { end } of voices) void end();
      void receiver.stop();
    },
  };
};
