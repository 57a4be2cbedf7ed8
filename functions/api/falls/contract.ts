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
  params: z.object({ sensorId: SensorId, uuid: uuid.describe('The uuid of any event of the fall') }),
  success: 200,
  response: AnsweredFall,
});

const acknowledgement = defaults({ ...ofFall, path: '/sensors/{sensorId}/falls/{uuid}/acknowledgement' });

/** A separate function, because it may change fall alarms, unlike the list functions. */
export const falls = group({
  name: 'falls',
  about: 'What people did about falls, whether a rule notified of them or not',
  operations: {
    acknowledgeFall: {
      ...acknowledgement,
      method: 'PUT',
      display: true,
      summary: 'Acknowledge a fall',
      description:
        'Acknowledges the fall and all its rule hits in the name of the caller, even if no rule fired for it. A fall that alarms ' +
        'again later needs another acknowledgement, which also covers its earlier alarms, whichever event is named. The first ' +
        'acknowledgement of the fall or of one of its hits counts: repeating it returns 200 and may change the note, and anybody ' +
        'else gets a 409 with the name of the user who acknowledged. Customer webhooks get the event `alarm/acknowledged`.',
      body: AcknowledgingUser,
      errors: ['sensor_not_found', 'fall_not_found', 'acknowledged_already'],
      uses: ['falls.ofEvent', 'falls.acknowledge', 'users.get', ...acknowledging],
    },
    withdrawFallAcknowledgement: {
      ...acknowledgement,
      method: 'DELETE',
      summary: 'Withdraw the acknowledgement of a fall',
      description:
        'Also withdraws that of all its rule hits, whose escalations continue. Only for the user who acknowledged it, and for ' +
        'callers with `manage_customers`. Returns 409 once the fall is closed.',
      errors: ['sensor_not_found', 'fall_not_found', 'fall_closed'],
      uses: ['falls.ofEvent', 'falls.withdraw', ...withdrawing],
    },
    closeFall: {
      ...ofFall,
      method: 'PUT',
      path: '/sensors/{sensorId}/falls/{uuid}/closure',
      summary: 'Close a fall',
      description:
        'The fall is over: it ends with the event `fall/finished`, or `fall/canceled` if it was only suspected, unless its ' +
        'device has reported that before. The fall and all its rule hits are acknowledged in the name of the caller if nobody ' +
        'has done so, and further reports of the device about it change nothing. A closed fall stays closed, but everyone of ' +
        'the customer may change its outcome and note.',
      body: ClosingUser,
      errors: ['sensor_not_found', 'fall_not_found'],
      uses: ['falls.ofEvent', 'fallAnswers.get', 'falls.close', 'users.get', ...acknowledging],
    },
  },
});
