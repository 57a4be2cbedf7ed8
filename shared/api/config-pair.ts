import type * as z from 'zod';
import type { Permission } from '../domain/permission.ts';
import type { Manufacturer } from '../domain/sensor.ts';
import { ringing } from './operation.ts';

type Given<P, I, B, R> = { maker: Manufacturer; name: string; may: P; params: I; body: B; response: R };

/** The two operations on a configuration: who reads it may write it, and a write answers as a read does. */
export const configPair = <
  const P extends Permission | 'system_admin',
  I extends z.ZodObject,
  B extends z.ZodObject,
  R extends z.ZodObject,
>({
  maker,
  name,
  may,
  params,
  body,
  response,
}: Given<P, I, B, R>) => {
  const what = `the ${name} configuration of a sensor of ${maker}`;
  const common = {
    path: `/sensors/{sensorId}/${maker}/config/${name}`,
    auth: 'user',
    may,
    within: 'sensor',
    params,
    success: 200,
    response,
    errors: ['sensor_not_found', 'sensor_wrong_manufacturer'],
  } as const;
  return {
    get: { ...common, method: 'GET', summary: `Get ${what}`, uses: ['sensors.get', 'configs.get'] },
    put: {
      ...common,
      method: 'PUT',
      summary: `Replace ${what}`,
      body,
      uses: [...ringing, 'configs.get', 'configs.put'],
    },
  } as const;
};
