import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { DataExport, Erasure, jobIdText, NewDataJob } from '#shared/domain/identity/data-job-view.ts';
import { idOrZeroText } from '#shared/domain/values.ts';

const common = defaults({ auth: 'user', may: 'manage_customers', within: 'customer' });
const ofCustomer = defaults({ ...common, params: z.object({ customerId: idOrZeroText }) });
const ofExport = defaults({ ...common, params: z.object({ customerId: idOrZeroText, exportId: jobIdText }) });
const ofErasure = defaults({ ...common, params: z.object({ customerId: idOrZeroText, erasureId: jobIdText }) });

/** For operations that find the subject and check the caller's identity. */
const beginning = defaults({
  errors: ['customer_not_found', 'sensor_not_found', 'user_not_found', 'login_too_old'],
  uses: [
    'customers.get',
    'sensors.get',
    'sensors.former',
    'users.get',
    'users.former',
    'dataJobs.create',
    'limits.take',
    'limits.secondsToWait',
    'limits.countFailure',
    'sessions.session',
    'sessions.passwordHash',
    'hash:passwords',
    'enqueue:jobs',
  ],
});
const requirements =
  "Requires the caller's password or, for users who log in through an identity provider, a login within the last 5 " +
  'minutes. Each customer can begin 50 jobs a day.';

export const personalData = group({
  name: 'personal-data',
  about: 'Export and erasure of all data about a customer or a person',
  operations: {
    createExport: {
      ...ofCustomer,
      ...beginning,
      method: 'POST',
      path: '/customers/{customerId}/exports',
      summary: 'Export personal data',
      description:
        'Exports all data about a customer, about a sensor and the person it watches over, or about a user. A job ' +
        'creates a ZIP file with `manifest.json` and `data.jsonl`, which has one JSON object per item, with the kind ' +
        'in `item`. Secrets are not included. Also requires `manage_users` and `manage_rules` and, except for a ' +
        `user, \`manage_bots\`. ${requirements}`,
      body: NewDataJob,
      success: 202,
      response: DataExport,
    },
    listExports: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/exports',
      summary: "List a customer's exports",
      description: 'Returns exports from the last 400 days, newest first.',
      success: 200,
      response: z.array(DataExport),
      errors: ['customer_not_found'],
      uses: ['dataJobs.list', 'customers.get'],
    },
    getExport: {
      ...ofExport,
      method: 'GET',
      path: '/customers/{customerId}/exports/{exportId}',
      summary: 'Get an export',
      description:
        'Returns an export. Once completed, it includes a file URL for callers in a session who hold the permissions ' +
        'the export requires. Each URL is recorded in the audit log.',
      records: true,
      success: 200,
      response: DataExport,
      errors: ['job_not_found'],
      uses: ['dataJobs.get', 'dataJobs.recordUrl', 'share:exports'],
    },
    createErasure: {
      ...ofCustomer,
      ...beginning,
      method: 'POST',
      path: '/customers/{customerId}/erasures',
      summary: 'Erase personal data',
      description:
        'Permanently erases a customer, a sensor with all its data, or a user. This cannot be undone. The subject is ' +
        'inaccessible as soon as the response arrives. A job erases the data, and checks again after 16 minutes for ' +
        'data that was still being processed. When a user is erased, rule hits, feedback and the audit log keep what ' +
        'others did, and the audit log keeps what the user did, with the id. Users cannot erase themselves (403). A ' +
        'customer erasure begins at once if a system admin requests it. If another user does, the state is ' +
        '`requested`: the erasure needs an approval and begins after 24 hours at the earliest (`begins`). All ' +
        "managers of the customer, the system admins and the customer's address get an email, and any manager or " +
        'system admin can cancel the erasure until it begins. Meanwhile the requester cannot remove users or change ' +
        `their permissions and logins. ${requirements}`,
      body: NewDataJob,
      success: 202,
      response: Erasure,
      errors: [...beginning.errors, 'erasure_requested', 'erasure_requester'],
      uses: [...beginning.uses, 'dataJobs.get', 'dataJobs.list', 'dataJobs.request'],
    },
    listErasures: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/erasures',
      summary: "List a customer's erasures",
      description: 'Returns erasures from the last 400 days, newest first.',
      success: 200,
      response: z.array(Erasure),
      errors: ['customer_not_found'],
      uses: ['dataJobs.list', 'customers.get'],
    },
    getErasure: {
      ...ofErasure,
      method: 'GET',
      path: '/customers/{customerId}/erasures/{erasureId}',
      summary: 'Get an erasure',
      description: 'Returns an erasure. Once completed, this is the erasure certificate.',
      success: 200,
      response: Erasure,
      errors: ['job_not_found'],
      uses: ['dataJobs.get'],
    },
    approveErasure: {
      ...ofErasure,
      method: 'POST',
      path: '/customers/{customerId}/erasures/{erasureId}/approval',
      summary: 'Approve a customer erasure',
      description:
        'Lets a requested erasure begin, 24 hours after the request at the earliest. Not for the user who requested ' +
        'it (403), and not for access tokens. Logged under customer 0 in the audit log.',
      auth: 'session',
      success: 200,
      response: Erasure,
      errors: ['job_not_found', 'erasure_begun', 'erasure_canceled'],
      uses: ['dataJobs.get', 'dataJobs.approve', 'enqueue:jobs'],
    },
    cancelErasure: {
      ...ofErasure,
      method: 'DELETE',
      path: '/customers/{customerId}/erasures/{erasureId}',
      summary: 'Cancel a requested customer erasure',
      description:
        'Cancels an erasure that has not begun, whether or not it was approved. Logged under customer 0 in the audit ' +
        'log.',
      success: 200,
      response: Erasure,
      errors: ['job_not_found', 'erasure_begun', 'erasure_canceled'],
      uses: ['dataJobs.get', 'dataJobs.cancel'],
    },
  },
});
