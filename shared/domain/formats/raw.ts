import type { PayloadFormat } from './format.ts';

/** The format Raw contains only the bytes that the device sent. */
export const raw: PayloadFormat = {
  summary: 'A message of a device, as it was sent',
  isForBots: false,
  needsCode: false,
  message: 'required',
  isOncePerMessage: true,
  render: (_snapshot, { isTest }, bytes) => (isTest ? '{"test":true}' : bytes),
};
