import * as z from 'zod';
import { paged, partialListDescription, partialListHeaders, partialListQuery } from '#shared/api/http/paging.ts';
import { defaults, group } from '#shared/api/operation.ts';
import { Feedback, NewFeedback } from '#shared/domain/event/feedback.ts';
import { SensorId } from '#shared/domain/sensor/sensor.ts';
import { idText, Status } from '#shared/domain/values.ts';

const ofSensor = defaults({
  path: '/sensors/{sensorId}/feedback',
  auth: 'user',
  may: 'logged_in',
  within: 'sensor',
  params: z.object({ sensorId: SensorId }),
  errors: ['sensor_not_found'],
});

export const feedback = group({
  name: 'feedback',
  about: 'User feedback on whether a rule hit or an event was correct',
  operations: {
    listFeedback: {
      ...ofSensor,
      method: 'GET',
      summary: 'List the feedback on a sensor',
      description: `Returns the feedback, newest first. ${partialListDescription('5,000', '20,000')} New feedback may take a second to appear.`,
      query: z.object(partialListQuery(idText)),
      ...partialListHeaders,
      success: 200,
      response: paged(Feedback),
      uses: ['sensors.get', 'feedback.list'],
    },
    createFeedback: {
      ...ofSensor,
      method: 'POST',
      summary: 'Give feedback on a sensor',
      description:
        'Feedback is about something the sensor reported or missed. A rule hit or event named in the feedback must ' +
        'belong to the sensor. If `forwardToMakerA` is true in the response, the feedback is delivered to the maker ' +
        '(webhook `feedback`), even if it is deleted in the meantime. This requires that optimization is enabled for ' +
        "the sensor, and that the maker's address is configured.",
      body: NewFeedback,
      success: 201,
      response: Feedback,
      uses: [
        'sensors.get',
        'ruleHits.get',
        'events.get',
        'feedback.create',
        'makerFeedback.home',
        'makerFeedback.furnish',
        'limits.nextNumber',
        'webhooks.get',
        'webhooks.replace',
        'enqueue:deliveries',
        'encrypt:secrets',
        'forward:feedback',
        'service:about',
      ],
    },
    deleteFeedback: {
      ...ofSensor,
      method: 'DELETE',
      path: '/sensors/{sensorId}/feedback/{feedbackId}',
      summary: 'Delete feedback',
      params: z.object({ sensorId: SensorId, feedbackId: idText }),
      success: 200,
      response: Status,
      errors: ['sensor_not_found', 'feedback_not_found'],
      uses: ['sensors.get', 'feedback.remove'],
    },
  },
});
