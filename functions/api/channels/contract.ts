import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import {
  ChannelKinds,
  ChannelProof,
  ChannelUpdate,
  ChannelView,
  DutyUpdate,
  OnDutyView,
} from '#shared/domain/people/channel-view.ts';
import { By } from '#shared/domain/rule/recipient.ts';
import { idText, Status } from '#shared/domain/values.ts';

const me = { type: ['integer', 'string'], pattern: '^(me|[1-9][0-9]*)$' } as const;
const ByUser = z.object({ userId: idText.meta({ ...me, description: 'The caller, as an id or `me`' }) });
const OfChannel = ByUser.extend({ by: By });

/** Whoever changes where alarms go needs a login: an access token may be in the hands of a program. */
const ofUser = defaults({ auth: 'session', may: 'logged_in', params: OfChannel, success: 200 });
const ofDuty = defaults({ path: '/users/{userId}/duty', auth: 'user', may: 'logged_in', params: ByUser, success: 200 });

const onlySelf = 'Only for the user itself; for anybody else there is no such user.';

export const channels = group({
  name: 'channels',
  about: 'By what people are reached, and who is on duty',
  operations: {
    getChannelKinds: {
      method: 'GET',
      path: '/channels',
      summary: 'Get by what this service can reach people',
      auth: 'user',
      may: 'logged_in',
      success: 200,
      response: ChannelKinds,
      uses: ['pushKeys.get', 'pushKeys.keep', 'seal:secrets', 'send:person'],
    },
    listChannels: {
      method: 'GET',
      path: '/users/{userId}/channels',
      summary: 'List by what the caller is reached',
      description: onlySelf,
      auth: 'user',
      may: 'logged_in',
      params: ByUser,
      success: 200,
      response: z.array(ChannelView),
      errors: ['user_not_found'],
      uses: ['channels.list'],
    },
    setChannel: {
      ...ofUser,
      method: 'PUT',
      path: '/users/{userId}/channels/{by}',
      summary: 'Replace a channel of the caller, and send a code there',
      description:
        `${onlySelf} The code is six digits, good for 10 minutes and five tries; at most five are sent in an hour to an ` +
        'address, and for a user. A push needs no code. An address that is proven already stays so, and gets none.',
      body: ChannelUpdate,
      response: ChannelView,
      errors: ['user_not_found', 'channel_unavailable', 'limit_reached'],
      uses: [
        'channels.list',
        'channels.put',
        'limits.countFailure',
        'keep:quotas',
        'call:webhooks',
        'send:person',
        'send:mail',
      ],
    },
    proveChannel: {
      ...ofUser,
      method: 'POST',
      path: '/users/{userId}/channels/{by}/proof',
      summary: 'Prove a channel by the code that was sent there',
      description: `${onlySelf} A code that is wrong, used, tried five times or older than 10 minutes is a 400.`,
      body: ChannelProof,
      response: ChannelView,
      errors: ['user_not_found'],
      uses: ['channels.tryCode', 'channels.prove'],
    },
    deleteChannel: {
      ...ofUser,
      method: 'DELETE',
      path: '/users/{userId}/channels/{by}',
      summary: 'Delete a channel of the caller, who is reached by it no more',
      description: onlySelf,
      response: Status,
      errors: ['user_not_found', 'channel_not_found'],
      uses: ['channels.remove'],
    },
    beginDuty: {
      ...ofDuty,
      method: 'PUT',
      summary: 'Say that the caller is on duty until a time',
      description: onlySelf,
      body: DutyUpdate,
      response: DutyUpdate.meta({ id: 'Duty' }),
      errors: ['user_not_found', 'customer_missing'],
      uses: ['duty.begin'],
    },
    endDuty: {
      ...ofDuty,
      method: 'DELETE',
      summary: 'Say that the caller is not on duty any more',
      description: onlySelf,
      response: Status,
      errors: ['user_not_found', 'customer_missing'],
      uses: ['duty.end'],
    },
    listDuty: {
      method: 'GET',
      path: '/customers/{customerId}/duty',
      summary: 'List who is on duty',
      auth: 'user',
      may: 'logged_in',
      within: 'customer',
      params: z.object({ customerId: idText }),
      success: 200,
      response: z.array(OnDutyView),
      errors: ['customer_not_found'],
      uses: ['customers.get', 'duty.of', 'users.get'],
    },
  },
});
