import { type AccessPattern, pattern } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';
import { erasureRules, type ItemKind } from './erasure-rules.ts';

/** The kinds of items that may hold personal data. */
const ofSomebody = (Object.keys(erasureRules) as ItemKind[]).filter(
  (kind) => Object.keys(erasureRules[kind]).length > 0,
);

/** Access patterns for exports and erasures. */
export const subjectPatterns = {
  'dataJobs.get': pattern('A personal data job', { get: ['dataJob'] }, [1, 0]),
  'dataJobs.list': pattern("A customer's exports or erasures", { query: ['dataJob'] }, [1, 0], 'per 4 KB'),
  'dataJobs.erasuresSince': pattern(
    'The erasures to repeat after a recovery',
    { query: ['erasure'] },
    [1, 0],
    'per 4 KB',
  ),
  'dataJobs.create': pattern(
    'Create a job; an erasure is also listed for recoveries',
    { put: ['dataJob', 'erasure'] },
    [0, 5],
    '2 for an export',
  ),
  'dataJobs.request': pattern(
    "Request a customer's erasure, unless already requested",
    { put: ['dataJob'], updateOnly: { customer: ['erasureRequest'] } },
    [0, 5],
  ),
  'dataJobs.approve': pattern('Approve a requested erasure', { update: ['dataJob'] }, [0, 3]),
  'dataJobs.cancel': pattern(
    'Cancel a requested erasure, and list this for recoveries',
    { update: ['dataJob'], put: ['erasure'] },
    [0, 5],
  ),
  'dataJobs.begin': pattern(
    'Begin an approved erasure, and list it for recoveries',
    { update: ['dataJob'], put: ['erasure'] },
    [0, 4],
  ),
  'dataJobs.recordMails': pattern(
    'Record that all who may cancel an erasure were informed',
    { update: ['dataJob'] },
    [0, 1],
  ),
  'dataJobs.awaitApproval': pattern('Leave a requested erasure alone until approval', { update: ['dataJob'] }, [0, 2]),
  'dataJobs.recordSubjectGone': pattern(
    'Record that the subject can no longer be found',
    { update: ['dataJob'] },
    [0, 1],
  ),
  'dataJobs.addCounts': pattern('Add to the erased item count', { update: ['dataJob'] }, [0, 1]),
  'dataJobs.schedule': pattern('Schedule when the sweep continues a job', { update: ['dataJob'] }, [0, 3]),
  'dataJobs.end': pattern('End a job', { update: ['dataJob'] }, [0, 2]),
  'dataJobs.recordUrl': pattern('Record that someone gets a file URL', { update: ['dataJob'] }, [0, 1]),
  'dataJobs.dropFile': pattern('Record that an export file was deleted', { update: ['dataJob'] }, [0, 1]),

  'imports.get': pattern('An import', { get: ['dataJob'] }, [1, 0]),
  'imports.steps': pattern("An import's steps", { get: ['importSteps'] }, [1, 0], 'per 4 KB'),
  'imports.create': pattern('Create an import', { put: ['dataJob', 'importSteps'] }, [0, 5], '2 per further KB'),
  'imports.takeTurn': pattern("Let one of a customer's imports run", { put: ['importTurn'] }, [0, 1]),
  'imports.schedule': pattern('Schedule when the sweep continues an import', { update: ['dataJob'] }, [0, 3]),
  'imports.renameSensor': pattern('Rename a sensor', { get: ['sensor'], update: ['sensor'] }, [1, 3]),
  'imports.record': pattern('Record which import steps are done', { update: ['dataJob'] }, [0, 1]),
  'imports.end': pattern(
    'End an import',
    { update: ['dataJob'], remove: ['importSteps', 'importTurn'] },
    [0, 6],
    '2 per further KB of steps',
  ),

  'subjects.pages': pattern(
    'A place that may hold data about a customer, a sensor or a user',
    { query: ofSomebody },
    [1, 0],
    'per 4 KB',
  ),
  'subjects.get': pattern(
    "Where does a subject's data continue?",
    { get: ['user', 'formerUser', 'sensor', 'owner', 'deviceOfSensor', 'makerFeedback'] },
    [1, 0],
  ),
  'subjects.leads': pattern('The leads to data to be erased', { query: ['lead'] }, [1, 0], 'per 4 KB'),
  'subjects.keepLead': pattern('Keep a lead', { put: ['lead'] }, [0, 1]),
  'subjects.dropLead': pattern('Drop a lead', { remove: ['lead'] }, [0, 1]),
  'subjects.dropCustomer': pattern(
    'Remove a customer from where readers find it',
    { remove: ['customer', 'listedCustomer'] },
    [0, 4],
  ),
  'subjects.markErased': pattern('Mark a sensor as erased', { put: ['erasedSensor'] }, [0, 1]),
  'subjects.remove': pattern('Erase an item', { remove: ofSomebody }, [0, 1], 'per KB'),
  'subjects.replace': pattern(
    "Reduce an item to other people's data",
    {
      update: [
        ...(['customer', 'ruleHit', 'auditLine', 'notice', 'feedback', 'feedbackOfHit'] as const),
        ...(['roster', 'fallAnswer', 'floorPlan', 'unnotified'] as const),
      ],
    },
    [0, 1],
    'per KB',
  ),
} satisfies Partial<Record<StoreCall, AccessPattern>>;
