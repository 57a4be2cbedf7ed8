import type { ServerResponse } from 'node:http';
import { reasonOf } from '#lib/client/problem.ts';
import { type Received, startReceiver } from '#lib/home/receiver.ts';
import { connectSensor } from '#lib/home/sensor-connection.ts';
import { systemClock } from '../clock.ts';
import type { Cloud } from '../cloud.ts';
import { alarmIn } from './nurse-call.ts';
import { USERNAME } from './person.ts';
import { type Attempt, type Demo, seedDemo } from './seed.ts';
import { simulate } from './simulator.ts';
import { startStaff } from './staff.ts';

type Say = (line: string) => void;

/** The interval (ms) at which one of the demo's sensors sends something. */
const EVERY_MS = 5_000;

/** The port of the demo's receiver when it is free, so that the webhook of an earlier start is still valid. */
const RECEIVER_PORT = 3_999;

/** The receiver of the demo's alarms, which anybody on this machine can call. */
const startNurseCall = async (say: Say, listen: (body: string) => void) => {
  const hear = ({ body }: Received, response: ServerResponse): void => {
    const alarm = alarmIn(body);
    if (alarm !== null) say(`nurse call: ${alarm}`);
    listen(body);
    response.writeHead(alarm === null ? 400 : 200).end();
  };
  return startReceiver(hear, RECEIVER_PORT).catch(() => startReceiver(hear));
};

const sayHowToTry = (say: Say, url: string, { password, token, customerId }: Demo): void => {
  const shown = password ? `  password: ${password}` : ' (its password was shown at the first start)';
  say(`demo user: ${USERNAME}${shown}`);
  say('try:');
  say(`  export TOKEN=${token}`);
  for (const path of ['sensors', `customers/${customerId}/rule-hits`, 'users/me'])
    say(`  curl -H "Authorization: Bearer $TOKEN" ${url}/${path}`);
};

/**
 * Runs a demo care home: creates it, sends messages of its sensors, receives its alarms, and prints what to try. What
 * the settings or the data do not allow is left out with a sentence; it never throws.
 */
export const startDemo = ({ url, mqttUrl, runtime }: Cloud, say: Say) => {
  const ending: (() => void)[] = [];
  let isStopped = false;
  const atEnd = (end: () => void): void => void (isStopped ? end() : ending.push(end));
  const attempt: Attempt = (part, act) =>
    act().catch((error: unknown) => {
      if (!isStopped) say(`demo: the demo home goes without ${part}: ${reasonOf(error)}`);
      return null;
    });
  const ready = attempt('everything', async () => {
    if (url.startsWith('https:')) throw new Error('its sensors do not speak TLS, which TLS_CERT demands');
    const staff = startStaff(systemClock, say);
    atEnd(staff.stop);
    const receiver = await startNurseCall(say, staff.hear);
    atEnd(() => void receiver.stop());
    const demo = await seedDemo(runtime, url, receiver.url, attempt);
    const connections = await Promise.all(demo.sensors.map((sensor) => connectSensor(sensor, mqttUrl)));
    for (const { end } of connections) atEnd(() => void end());
    atEnd(simulate(connections, systemClock, EVERY_MS, say));
    sayHowToTry(say, url, demo);
  });
  return {
    /** Resolves when the home is there, or as much of it as there can be. */
    ready,
    stop: () => {
      isStopped = true;
      for (const end of ending.splice(0)) end();
    },
  };
};
