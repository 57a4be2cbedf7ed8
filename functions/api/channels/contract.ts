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
  about: "Users' notification channels, and who is on duty",
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
      summary: "List a user's channels",
      description:
        'Shows which channels are verified, and which were undeliverable. Only the user sees the addresses. The ' +
        "customer's other users need `manage_users`.",
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
      summary: "Set up one of the caller's channels",
      description:
        'Replaces the channel, and sends a code there to verify the address. The code has six digits and is valid ' +
        'for 10 minutes and five attempts. At most five codes an hour are sent per address and per user; by SMS at ' +
        'most five a day per user. Push does not need a code. An already verified address stays verified and does ' +
        'not get a code, unless it has since been undeliverable. A channel that is not offered (`GET /channels`) ' +
        `returns 400. ${onlySelf}`,
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
      summary: "Verify one of the caller's channels",
      description:
        'Takes the code sent to the channel. A code that is wrong, used, entered five times or older than 10 minutes ' +
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
      summary: "Delete one of the caller's channels",
      description: `The caller is no longer notified through this channel. ${onlySelf}`,
      response: Status,
      errors: ['user_not_found', 'channel_not_found'],
      uses: ['channels.remove'],
    },
    beginDuty: {
      ...ofDuty,
      method: 'PUT',
      summary: 'Go on duty',
      description:
        'Puts the caller on duty until the given time. A rule notifies only users on duty who have verified the ' +
        `rule's channel. ${onlySelf}`,
      body: DutyUpdate,
      response: Duty,
      errors: ['user_not_found', 'customer_missing'],
      uses: ['duty.begin', 'channels.list', 'know:channels'],
    },
    endDuty: {
      ...ofDuty,
      method: 'DELETE',
      summary: 'Go off duty',
      description: `Also ends the caller's current roster shift. The next shift puts the caller on duty again. ${onlySelf}`,
      response: Status,
      errors: ['user_not_found', 'customer_missing'],
      uses: ['customers.get', 'duty.get', 'duty.end'],
    },
    listDuty: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/duty',
      summary: 'List the users on duty',
      description: 'Users are on duty because they went on duty themselves, or because of a roster shift.',
      may: 'logged_in',
      display: true,
      response: z.array(OnDutyView),
      uses: ['customers.get', 'duty.get', 'recipients.person', 'channels.list', 'know:channels'],
    },
    getRoster: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/roster',
      summary: "Get a customer's roster",
      description: 'Leaves out entries for deleted users and for days before yesterday.',
      may: 'logged_in',
      response: Roster,
      uses: ['customers.get', 'duty.roster', 'users.list'],
    },
    listRosterPeople: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/roster/people',
      summary: 'List the users who can be in the roster',
      description: "Returns the customer's users who may log in, and how each can be reached.",
      may: 'logged_in',
      response: z.array(RosterPerson),
      uses: ['customers.get', 'users.list', 'channels.list', 'know:channels'],
    },
    setRoster: {
      ...ofCustomer,
      method: 'PUT',
      path: '/customers/{customerId}/roster',
      summary: "Replace a customer's roster",
      description:
        "Users are on duty during their shifts, in the customer's local time, unless they have gone off duty since a " +
        'shift began. A shift may pass midnight; if `from` equals `to`, it lasts a whole day. When clocks are set ' +
        'back, a shift begins the first time they show `from` and ends the last time they show `to`. Entries for ' +
        'days before yesterday are accepted but not kept.',
      may: 'manage_rules',
      body: Roster,
      response: Roster,
      uses: ['customers.get', 'users.list', 'duty.roster', 'duty.setRoster'],
    },
  },
});
