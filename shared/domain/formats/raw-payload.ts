import * as z from 'zod';

/** The Raw payload: exactly the bytes sent by the device (D2 "Raw sensor data"). */
export const RawPayload = z.record(z.string(), z.unknown()).meta({
  id: 'RawPayload',
  examples: [{ type: 5, payload: { status: 'calling', timestamp: 1_795_230_352_137 } }],
});
