import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { ChannelKinds, ChannelUpdate, ChannelVerification, ChannelView } from '#shared/domain/people/channel-view.ts';
import { Duty, DutyUpdate, OnDutyView, RosterPerson } from '#shared/domain/people/duty.ts';
import { Roster } from '#shared/domain/people/roster.ts';
import { By } from '#shared/domain/rule/recipient.ts';
import { idText, Status, userIdText } from '#shared/domain/values.ts';

const ByUser = z.object({ userId: userIdText('The caller, as an id or `me`') });
const OfChannel = ByUser.extend({ by: By });

/** Changing where alarms go requires a session, because access tokens are held by programs. */
const ofUser = defaults({ auth: 'session', may: 'logged_in', params: OfChannel, success: 200 });
const ofDuty = defaults({ path: '/users/{userId}/duty', auth: 'user', may: 'logged_in', params: ByUser, success: 200 });

const ofCustomer = defaults({
  auth: 'user',
  within: 'customer',
  params: z.object({ customerId: idText }),
  success: 200,
  errors: ['customer_not_found'],
});

const onlySelf = 'Only for the caller; naming any other user returns 404.';

export const channels = group({
  name: 'channels',
  about: 'Notification channels of users, and who is on duty',
  operations: {
    getChannelKinds: {
      method: 'GET',
      path: '/channels',
      summary: 'Get the available channels',
      description: 'Returns the channels through which this service can notify people.',
      auth: 'user',
      may: 'logged_in',
      success: 200,
      response: ChannelKinds,
      uses: ['pushKeys.get', 'pushKeys.keep', 'encrypt:secrets', 'know:channels'],
    },
    listChannels: {
      method: 'GET',
      path: '/users/{userId}/channels',
      summary: 'List the channels of a user',
      description:
        'Shows which channels are verified, and which were undeliverable. Only the user sees the addresses. Other users of ' +
        'the customer need `manage_users`.',
      auth: 'user',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: ByUser,
      success: 200,
      response: z.array(ChannelView),
      errors: ['user_not_found'],
      uses: ['channels.list', 'users.get'],
    },
    setChannel: {
      ...ofUser,
      method: 'PUT',
      path: '/users/{userId}/channels/{by}',
      summary: 'Set up a channel of the caller',
      description:
        'Replaces the channel, and sends a code there to verify the address. The code has six digits and is valid for 10 ' +
        'minutes and five attempts. At most five codes an hour are sent to an address, and for a user; by SMS at most five ' +
        'a day for a user. Push needs no code. An address that is already verified stays verified, and gets no code unless ' +
        `it was undeliverable since. A channel that is not offered (\`GET /channels\`) returns 400. ${onlySelf}`,
      body: ChannelUpdate,
      response: ChannelView,
      errors: ['user_not_found', 'limit_reached'],
      uses: [
        'channels.list',
        'channels.put',
        'limits.countFailure',
        'limits.countWithin',
        'keep:quotas',
        'call:webhooks',
        'know:channels',
        'send:person',
        'send:mail',
      ],
    },
    proveChannel: {
      ...ofUser,
      method: 'POST',
      path: '/users/{userId}/channels/{by}/proof',
      summary: 'Verify a channel of the caller',
      description:
        'Takes the code that was sent to the channel. A code that is wrong, used, entered five times or older than 10 minutes ' +
        `returns 400. ${onlySelf}`,
      body: ChannelVerification,
      response: ChannelView,
      errors: ['user_not_found'],
      uses: ['channels.tryCode', 'channels.verify'],
    },
    deleteChannel: {
      ...ofUser,
      method: 'DELETE',
      path: '/users/{userId}/channels/{by}',
      summary: 'Delete a channel of the caller',
      description: `The caller is no longer notified through this channel. ${onlySelf}`,
      response: Status,
      errors: ['user_not_found', 'channel_not_found'],
      uses: ['channels.remove'],
    },
    beginDuty: {
      ...ofDuty,
      method: 'PUT',
      summary: 'Go on duty',
      description: `Puts the caller on duty until the given time. A rule notifies only those on duty who verified its channel. ${onlySelf}`,
      body: DutyUpdate,
      response: Duty,
      errors: ['user_not_found', 'customer_missing'],
      uses: ['duty.begin', 'channels.list', 'know:channels'],
    },
    endDuty: {
      ...ofDuty,
      method: 'DELETE',
      summary: 'Go off duty',
      description: `Also ends the current shift of the roster. The next one puts the caller on duty again. ${onlySelf}`,
      response: Status,
      errors: ['user_not_found', 'customer_missing'],
      uses: ['customers.get', 'duty.get', 'duty.end'],
    },
    listDuty: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/duty',
      summary: 'List the users on duty',
      description: 'Users are on duty because they said so, or by a shift of the roster.',
      may: 'logged_in',
      display: true,
      response: z.array(OnDutyView),
      uses: ['customers.get', 'duty.get', 'recipients.person', 'channels.list', 'know:channels'],
    },
    getRoster: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/roster',
      summary: 'Get the roster of a customer',
      description: 'Leaves out entries of deleted users, and those for days before yesterday.',
      may: 'logged_in',
      response: Roster,
      uses: ['customers.get', 'duty.roster', 'users.list'],
    },
    listRosterPeople: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/roster/people',
      summary: 'List the users who can be in the roster',
      description: 'Returns all users of the customer who may log in, and how each can be reached.',
      may: 'logged_in',
      response: z.array(RosterPerson),
      uses: ['customers.get', 'users.list', 'channels.list', 'know:channels'],
    },
    setRoster: {
      ...ofCustomer,
      method: 'PUT',
      path: '/customers/{customerId}/roster',
      summary: 'Replace the roster of a customer',
      description:
        "Users are on duty during their shifts, by the clock of the customer's time zone, unless they have gone off duty since a " +
        'shift began. A shift may pass midnight; if `from` equals `to`, it takes a whole day. When clocks are set back, it begins the ' +
        'first time that they show `from` and ends the last time that they show `to`. Entries for days before yesterday are ' +
        'accepted and not kept.',
      may: 'manage_rules',
      body: Roster,
      response: Roster,
      uses: ['customers.get', 'users.list', 'duty.roster', 'duty.setRoster'],
    },
  },
});
