import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { CANARY_PATH } from '#shared/domain/canary.ts';
import { Status, uuid } from '#shared/domain/values.ts';

export const canary = group({
  name: 'canary',
  about: 'Where the falls of the canary come back',
  isPage: true,
  operations: {
    receiveCanary: {
      method: 'POST',
      path: CANARY_PATH,
      summary:
        'Take a delivery of the canary; nothing but the fall that it waits for, whose random id nobody else knows, counts',
      auth: 'anyone',
      withoutTable: true,
      body: z.object({ event: z.object({ uuid }) }),
      success: 200,
      response: Status,
      uses: ['canary.comeBack'],
    },
  },
});
