import { type AccessPattern, pattern } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';
import { belongings, type ItemKind } from './subject-items.ts';

/** Every kind of item that somebody's data may be in. */
const ofSomebody = (Object.keys(belongings) as ItemKind[]).filter((kind) => Object.keys(belongings[kind]).length > 0);

/** Access patterns of exports and erasures. */
export const subjectPatterns = {
  'dataJobs.get': pattern("A job on people's data", { get: ['dataJob'] }, [1, 0]),
  'dataJobs.list': pattern(
    'The exports or the erasures of a customer',
    { query: ['dataJob'] },
    [1, 0],
    'for each 4 KB',
  ),
  'dataJobs.erasuresSince': pattern(
    'The erasures that a recovery has to make again',
    { query: ['erasure'] },
    [1, 0],
    'for each 4 KB',
  ),
  'dataJobs.create': pattern(
    'A new job, and an erasure in the list for recoveries',
    { put: ['dataJob', 'erasure'] },
    [0, 5],
    '2 for an export',
  ),
  'dataJobs.gone': pattern('Note that nobody finds the subject any more', { update: ['dataJob'] }, [0, 1]),
  'dataJobs.count': pattern('Add to what was erased', { update: ['dataJob'] }, [0, 1]),
  'dataJobs.again': pattern('Set when the sweep looks at a job again', { update: ['dataJob'] }, [0, 3]),
  'dataJobs.end': pattern('End a job', { update: ['dataJob'] }, [0, 2]),
  'dataJobs.dropFile': pattern('Note that the file of an export was deleted', { update: ['dataJob'] }, [0, 1]),

  'subjects.pages': pattern(
    'A place where something of a customer, a sensor or a user may be',
    { query: ofSomebody },
    [1, 0],
    'for each 4 KB',
  ),
  'subjects.get': pattern(
    'Where does it go on from here?',
    { get: ['user', 'formerUser', 'sensor', 'owner', 'deviceOfSensor', 'makerFeedback'] },
    [1, 0],
  ),
  'subjects.leads': pattern('What leads to the data of an erasure', { query: ['lead'] }, [1, 0], 'for each 4 KB'),
  'subjects.keepLead': pattern('Keep what leads to it', { put: ['lead'] }, [0, 1]),
  'subjects.dropLead': pattern('Forget what led to it', { remove: ['lead'] }, [0, 1]),
  'subjects.dropCustomer': pattern(
    'Take a customer from where readers look for it',
    { remove: ['customer', 'listedCustomer'] },
    [0, 4],
  ),
  'subjects.markErased': pattern('Note that a sensor was erased', { put: ['erasedSensor'] }, [0, 1]),
  'subjects.remove': pattern('Erase an item', { remove: ofSomebody }, [0, 1], 'for each KB'),
  'subjects.replace': pattern(
    'Leave of an item what is of others',
    { put: ['ruleHit', 'auditLine', 'notice', 'feedback', 'feedbackOfHit'] },
    [0, 1],
    'for each KB',
  ),
} satisfies Partial<Record<StoreCall, AccessPattern>>;
