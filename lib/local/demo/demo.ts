import type { ServerResponse } from 'node:http';
import { reasonOf } from '#lib/client/problem.ts';
import { type Received, startReceiver } from '#lib/home/receiver.ts';
import { connectSensor } from '#lib/home/sensor-connection.ts';
import { systemClock } from '../clock.ts';
import type { Cloud } from '../cloud.ts';
import { alarmTextOf } from './nurse-call.ts';
import { USERNAME } from './person.ts';
import { type Attempt, type Demo, seedDemo } from './seed.ts';
import { simulate } from './simulator.ts';
import { startStaff } from './staff.ts';

type Say = (line: string) => void;

/** The interval (ms) at which one of the demo sensors sends a message. */
const EVERY_MS = 5_000;

/** The preferred port for the demo receiver, so webhooks from an earlier start keep working. */
const RECEIVER_PORT = 3_999;

/** Starts the receiver for demo alarms, which anyone on this machine can call. */
const startNurseCall = async (say: Say, onBody: (body: string) => void) => {
  const handle = ({ body }: Received, response: ServerResponse): void => {
    const alarm = alarmTextOf(body);
    if (alarm !== null) say(`nurse call: ${alarm}`);
    onBody(body);
    response.writeHead(alarm === null ? 400 : 200).end();
  };
  return startReceiver(handle, RECEIVER_PORT).catch(() => startReceiver(handle));
};

const printExamples = (say: Say, { url, runtime }: Cloud, { password, token, customerId }: Demo): void => {
  const passwordHint = password ? `  password: ${password}` : ' (its password was printed at the first start)';
  say(`demo user: ${USERNAME}${passwordHint}`);
  if (runtime.settings.ON_NETWORK) {
    say(`demo: log in at ${url}/console; no token is printed, because HOST opens the service to others`);
    return;
  }
  say('try:');
  say(`  export TOKEN=${token}`);
  for (const path of ['sensors', `customers/${customerId}/rule-hits`, 'users/me'])
    say(`  curl -H "Authorization: Bearer $TOKEN" ${url}/${path}`);
};

/**
 * Runs a demo care home: creates it, sends messages from the sensors, receives the alarms, and prints commands to try.
 * Parts ruled out by the settings or the data are skipped with a message. Never throws.
 */
export const startDemo = (cloud: Cloud, say: Say) => {
  const { url, mqttUrl, runtime } = cloud;
  const cleanups: (() => void)[] = [];
  let isStopped = false;
  const onStop = (cleanUp: () => void): void => void (isStopped ? cleanUp() : cleanups.push(cleanUp));
  const attempt: Attempt = (part, act) =>
    act().catch((error: unknown) => {
      if (!isStopped) say(`demo: could not create ${part}: ${reasonOf(error)}`);
      return null;
    });
  const ready = attempt('the demo home', async () => {
    if (url.startsWith('https:')) throw new Error('its sensors do not support TLS (TLS_CERT)');
    const staff = startStaff(systemClock, say);
    onStop(staff.stop);
    const receiver = await startNurseCall(say, staff.hear);
    onStop(() => void receiver.stop());
    const demo = await seedDemo(runtime, url, receiver.url, attempt);
    const connections = await Promise.all(demo.sensors.map((sensor) => connectSensor(sensor, mqttUrl)));
    for (const { end } of connections) onStop(() => void end());
    onStop(simulate(connections, systemClock, EVERY_MS, say));
    printExamples(say, cloud, demo);
  });
  return {
    /** Resolves when the home has been created, as far as possible. */
    ready,
    stop: () => {
      isStopped = true;
      for (const cleanUp of cleanups.splice(0)) cleanUp();
    },
  };
};
