import type * as z from 'zod';
import type { Permission } from '#shared/domain/identity/permission.ts';
import type { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import { notifyUses } from '../operation.ts';

type ConfigPairInput<P, I, B, R> = {
  maker: Manufacturer;
  name: string;
  may: P;
  params: I;
  body: B;
  response: R;
  description?: string;
};

/**
 * Declares the operations that read and replace a configuration. Both need the same permission and return the
 * configuration.
 */
export const configOperations = <
  const P extends Permission | 'system_admin',
  I extends z.ZodObject,
  B extends z.ZodType,
  R extends z.ZodType,
>({
  maker,
  name,
  may,
  params,
  body,
  response,
  description,
}: ConfigPairInput<P, I, B, R>) => {
  const subject = `the ${name} configuration of a ${maker} sensor`;
  const common = {
    path: `/sensors/{sensorId}/${maker}/config/${name}`,
    auth: 'user',
    may,
    within: 'sensor',
    params,
    success: 200,
    response,
    ...(description && { description }),
    errors: ['sensor_not_found', 'sensor_wrong_manufacturer'],
  } as const;
  return {
    get: { ...common, method: 'GET', summary: `Get ${subject}`, uses: ['sensors.get', 'configs.get'] },
    put: {
      ...common,
      method: 'PUT',
      summary: `Replace ${subject}`,
      body,
      uses: [...notifyUses, 'configs.get', 'configs.put'],
    },
  } as const;
};
