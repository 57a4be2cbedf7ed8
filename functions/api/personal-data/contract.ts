import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { DataExport, Erasure, jobIdText, NewDataJob } from '#shared/domain/identity/data-job-view.ts';
import { idOrNoneText } from '#shared/domain/values.ts';

const common = defaults({ auth: 'user', may: 'manage_customers', within: 'customer' });
const ofCustomer = defaults({ ...common, params: z.object({ customerId: idOrNoneText }) });
const ofExport = defaults({ ...common, params: z.object({ customerId: idOrNoneText, exportId: jobIdText }) });
const ofErasure = defaults({ ...common, params: z.object({ customerId: idOrNoneText, erasureId: jobIdText }) });

/** What finding a subject and proving the caller takes. */
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
const who =
  'The caller proves to be there: by the password, or, of somebody who logs in at an issuer, by a login of the last 5 ' +
  'minutes. 50 jobs of a customer may begin on a day.';

export const personalData = group({
  name: 'personal-data',
  about: 'All that is kept of a customer or a person, in one file; and its erasure',
  operations: {
    createExport: {
      ...ofCustomer,
      ...beginning,
      method: 'POST',
      path: '/customers/{customerId}/exports',
      summary: 'Export all that is kept of a customer, of a sensor and whom it watches over, or of a user',
      description:
        `A job makes one ZIP file: \`data.jsonl\` with a JSON object for each item, whose \`item\` names its kind, and ` +
        `\`manifest.json\`. Secrets are not in it. ${who}`,
      body: NewDataJob,
      success: 202,
      response: DataExport,
    },
    listExports: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/exports',
      summary: 'List the exports of a customer of the last 400 days, newest first',
      success: 200,
      response: z.array(DataExport),
      errors: ['customer_not_found'],
      uses: ['dataJobs.list', 'share:exports', 'customers.get'],
    },
    getExport: {
      ...ofExport,
      method: 'GET',
      path: '/customers/{customerId}/exports/{exportId}',
      summary: 'Get an export, with the address of its file once it has completed',
      success: 200,
      response: DataExport,
      errors: ['job_not_found'],
      uses: ['dataJobs.get', 'share:exports'],
    },
    createErasure: {
      ...ofCustomer,
      ...beginning,
      method: 'POST',
      path: '/customers/{customerId}/erasures',
      summary: 'Erase a customer, a sensor with all that it saw, or a user, for good',
      description:
        'Nobody finds the subject any more when the answer comes; what is kept of it is erased by a job, which looks again ' +
        'for what was on its way after 16 minutes. Of a user, rule hits, feedback and the audit keep what others did. An ' +
        `erasure cannot be taken back. ${who}`,
      body: NewDataJob,
      success: 202,
      response: Erasure,
      uses: [...beginning.uses, 'dataJobs.get'],
    },
    listErasures: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/erasures',
      summary: 'List the erasures of a customer of the last 400 days, newest first',
      success: 200,
      response: z.array(Erasure),
      errors: ['customer_not_found'],
      uses: ['dataJobs.list', 'customers.get'],
    },
    getErasure: {
      ...ofErasure,
      method: 'GET',
      path: '/customers/{customerId}/erasures/{erasureId}',
      summary: 'Get an erasure; once it has completed, this is its certificate',
      success: 200,
      response: Erasure,
      errors: ['job_not_found'],
      uses: ['dataJobs.get'],
    },
  },
});
