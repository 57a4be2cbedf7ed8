import { changeConfig, plainConfigHandlers, readConfig } from '#shared/api/device/configs.ts';
import { serve } from '#shared/api/serve.ts';
import { criticalFields } from '#shared/domain/config/critical.ts';
import {
  basicView,
  learningEndChange,
  newBasic,
  type StoredBasic,
  updateBasic,
} from '#shared/domain/makers/maker-a/basic.ts';
import { dryContactFields, firmwareFields, telemetryFields } from '#shared/domain/makers/maker-a/config.ts';
import { makerAConfig } from './contract.ts';

const dryContact = plainConfigHandlers('maker_a', 'dry-contact', dryContactFields);
const firmware = plainConfigHandlers('maker_a', 'firmware', firmwareFields);
const telemetry = plainConfigHandlers('maker_a', 'telemetry', telemetryFields);
const critical = plainConfigHandlers('maker_a', 'critical', criticalFields, {
  ofSensor: ({ silentModeEnabled, reportFallsToMqtt }) => ({
    isSilent: silentModeEnabled,
    // The device is about to fetch this configuration, so whether it marked earlier falls as silent no longer matters.
    marksSilent: false,
    isFallDetectionOff: !reportFallsToMqtt,
  }),
});

export const handler = serve(makerAConfig, {
  getMakerABasicConfig: async (call, { store, now }) => {
    const { sensor, values } = await readConfig<StoredBasic>(call, store, 'maker_a', 'basic');
    return basicView(values ?? newBasic, sensor, now());
  },

  putMakerABasicConfig: async (call, deps) => {
    const time = deps.now();
    const { name, optimizationEnabled, ...set } = call.body;
    const ofSensor = { name, optimizationEnabled, updateDate: time };
    const stored = await changeConfig<StoredBasic>(call, deps, { maker: 'maker_a', name: 'basic' }, (known) => {
      const before = known ?? newBasic;
      const values = updateBasic(before, call.body, time);
      // The stored configuration has only the end times of modes. The other fields are in the sensor item.
      call.auditChange(basicView(before, ofSensor, time), set);
      return { values, ofSensor, learning: learningEndChange(before, values, time) };
    });
    return basicView(stored, ofSensor, time);
  },

  getMakerADryContactConfig: dryContact.get,
  putMakerADryContactConfig: dryContact.put,
  getMakerAFirmwareConfig: firmware.get,
  putMakerAFirmwareConfig: firmware.put,
  getMakerATelemetryConfig: telemetry.get,
  putMakerATelemetryConfig: telemetry.put,
  getMakerACriticalConfig: critical.get,
  putMakerACriticalConfig: critical.put,
});
