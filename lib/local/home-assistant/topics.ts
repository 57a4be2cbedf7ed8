/** The topic on which Home Assistant announces its start. */
export const BIRTH_TOPIC = 'homeassistant/status';
export const BIRTH = 'online';

/**
 * The topic where Home Assistant finds a sensor's description. Like sensor ids, it may contain letters, digits, `_` and
 * `-`.
 */
export const discoveryTopic = (sensorId: string): string => `homeassistant/device/sensor_cloud_${sensorId}/config`;

/** Returns a customer's topics. They contain only ids. */
export const topicsOf = (customerId: number) => {
  const base = `sensor-cloud/${customerId}`;
  return {
    /** States whether this host is connected. Published by the host itself and by its last will. */
    availability: `${base}/status`,
    state: (sensorId: string): string => `${base}/${sensorId}/state`,
    acknowledge: (sensorId: string): string => `${base}/${sensorId}/acknowledge`,
    anyState: `${base}/+/state`,
    anyAcknowledge: `${base}/+/acknowledge`,
    /** Returns a message's sensor and kind. Null if it does not concern this customer. */
    read: (topic: string): { sensorId: string; kind: 'state' | 'acknowledge' } | null => {
      const [, , sensorId, kind, ...rest] = topic.startsWith(`${base}/`) ? topic.split('/') : [];
      const isKnown = (kind === 'state' || kind === 'acknowledge') && rest.length === 0;
      return isKnown && sensorId ? { sensorId, kind } : null;
    },
  };
};
export type Topics = ReturnType<typeof topicsOf>;

export const ONLINE = 'online';
export const OFFLINE = 'offline';
