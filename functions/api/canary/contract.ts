import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { CANARY_PATH } from '#shared/domain/canary.ts';
import { Status, uuid } from '#shared/domain/values.ts';

export const canary = group({
  name: 'canary',
  about: "Receives the canary's simulated falls",
  isPage: true,
  operations: {
    receiveCanary: {
      method: 'POST',
      path: CANARY_PATH,
      summary: 'Receive a canary delivery',
      description: "Ignores everything but the canary's pending fall, whose random id nobody else knows.",
      auth: 'anyone',
      withoutTable: true,
      body: z.object({ event: z.object({ uuid }) }),
      success: 200,
      response: Status,
      uses: ['canary.completeRound'],
    },
  },
});
