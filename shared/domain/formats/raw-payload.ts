import * as z from 'zod';

/** D2 "Raw sensor data": whatever the device sent, byte by byte. */
export const RawPayload = z.record(z.string(), z.unknown()).meta({
  id: 'RawPayload',
  examples: [{ type: 5, payload: { status: 'calling', timestamp: 1_795_230_352_137 } }],
});
