import { randomBytes } from 'node:crypto';
import { apiClient, logIn } from '../demo/client.ts';
import { makerOf } from './plan.ts';

export type Access = { base: string; username: string; password: string; provisioningKey: string };
export type Device = { sensorId: string; send: (message: object) => Promise<void> };

const region = (kind: string, name: string, left: number) => ({
  ...{ kind, name, topLeftX: left, topLeftY: 200, bottomRightX: left + 50, bottomRightY: 100 },
});
const room = {
  ...{ sensorMounting: 'wall', xMin: 180, xMax: 180, yMax: 350, yMin: 30, zMin: 0, zMax: 180 },
  ...{ sensorHeight: 150, enterDuration: 120, exitDuration: 120 },
  regions: [region('bed', 'Bed', -100), region('door', 'Door', 0)],
};

/** A customer, and somebody who may set it up. */
const createHome = async ({ base, username, password }: Access) => {
  const { api } = await logIn(base, username, password);
  const tag = randomBytes(3).toString('hex');
  const customer = await api.post<{ id: number }>('/customers', {
    name: `Simulated home ${tag}`,
    location: 'Ground floor',
    email: '',
  });
  const person = { username: `simulator-${tag}`, password: randomBytes(12).toString('base64url') };
  await api.post('/users', {
    ...{ ...person, customerId: customer.id, firstName: 'Simulated', lastName: 'Nurse', email: '' },
    permissions: ['manage_sensors', 'manage_customers', 'edit_sensor_room'],
  });
  return (await logIn(base, person.username, person.password)).api;
};

/**
 * A home with sensors of both makers and a webhook that hears of everything, made over the API. `pace` ms lie between two
 * sensors: a cloud that limits calls would refuse some.
 */
export const buildHome = async (
  access: Access,
  sensors: number,
  receiver: string,
  pace: () => Promise<void>,
): Promise<Device[]> => {
  const api = await createHome(access);
  await api.post('/webhooks', { name: 'everything', url: receiver, format: 'full', isCustomerHook: true });
  const devices: Device[] = [];
  for (let sensor = 0; sensor < sensors; sensor++) {
    const manufacturer = makerOf(sensor);
    const body = { manufacturer, hardwareId: randomBytes(6).toString('hex').toUpperCase(), firmwareVersion: 42 };
    const { sensorId, deviceToken, pairingCode } = await apiClient(access.base, access.provisioningKey).post<{
      sensorId: string;
      deviceToken: string;
      pairingCode: string;
    }>('/devices/register', body);
    await api.post('/sensors/link', { manufacturer, code: pairingCode });
    await api.send('PUT', `/sensors/${sensorId}/room`, room);
    const device = apiClient(access.base, deviceToken);
    devices.push({
      sensorId,
      send: async (message) => void (await device.post(`/devices/${sensorId}/messages`, message)),
    });
    await pace();
  }
  return devices;
};
