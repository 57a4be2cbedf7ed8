import * as z from 'zod';
import { acknowledging, defaults, group, withdrawing } from '#shared/api/operation.ts';
import { AnsweredFall } from '#shared/domain/event/answered-fall.ts';
import { AcknowledgingUser, ClosingUser } from '#shared/domain/rule/acknowledgement-view.ts';
import { SensorId } from '#shared/domain/sensor/sensor.ts';
import { uuid } from '#shared/domain/values.ts';

const ofFall = defaults({
  auth: 'user',
  may: 'logged_in',
  within: 'sensor',
  params: z.object({ sensorId: SensorId, uuid: uuid.describe("The uuid of any of the fall's events") }),
  success: 200,
  response: AnsweredFall,
});

const acknowledgement = defaults({ ...ofFall, path: '/sensors/{sensorId}/falls/{uuid}/acknowledgement' });

/** A separate function, because it may change fall alarms, unlike the list functions. */
export const falls = group({
  name: 'falls',
  about: 'What people did about falls, whether or not a rule fired',
  operations: {
    acknowledgeFall: {
      ...acknowledgement,
      method: 'PUT',
      display: true,
      summary: 'Acknowledge a fall',
      description:
        "Acknowledges the fall and all of its rule hits in the caller's name, even if no rule fired. A fall that " +
        'alarms again later needs another acknowledgement, which also covers the earlier alarms, whichever event is ' +
        'named. Only the first acknowledgement of the fall or one of its hits counts: repeating it returns 200 and ' +
        'may change the note; for anyone else, the operation returns 409 with the name of the user who acknowledged. ' +
        'Customer webhooks get the event `alarm/acknowledged`.',
      body: AcknowledgingUser,
      errors: ['sensor_not_found', 'fall_not_found', 'acknowledged_already'],
      uses: ['falls.ofEvent', 'falls.acknowledge', 'users.get', ...acknowledging],
    },
    withdrawFallAcknowledgement: {
      ...acknowledgement,
      method: 'DELETE',
      summary: 'Withdraw a fall acknowledgement',
      description:
        "Also withdraws the acknowledgements of the fall's rule hits, whose escalations continue. Only for the user " +
        'who acknowledged the fall, and for callers with `manage_customers`. Returns 409 once the fall is closed.',
      errors: ['sensor_not_found', 'fall_not_found', 'fall_closed'],
      uses: ['falls.ofEvent', 'falls.withdraw', ...withdrawing],
    },
    closeFall: {
      ...ofFall,
      method: 'PUT',
      path: '/sensors/{sensorId}/falls/{uuid}/closure',
      summary: 'Close a fall',
      description:
        'Ends the fall with the event `fall/finished`, or `fall/canceled` if it was only suspected, unless the ' +
        'device has already reported the end. If nobody has acknowledged the fall and its rule hits, they are ' +
        "acknowledged in the caller's name. Later device reports about the fall change nothing. A closed fall stays " +
        "closed, but all of the customer's users may change the outcome and note.",
      body: ClosingUser,
      errors: ['sensor_not_found', 'fall_not_found'],
      uses: ['falls.ofEvent', 'fallAnswers.get', 'falls.close', 'users.get', ...acknowledging],
    },
  },
});
