import { changeConfig, plainConfigHandlers, readConfig } from '#shared/api/device/configs.ts';
import { serve } from '#shared/api/serve.ts';
import {
  detectsFalls,
  fallFields,
  newBasic,
  type StoredBasic,
  vitalFields,
  withPosture,
} from '#shared/domain/makers/maker-b/config.ts';
import { makerBConfig } from './contract.ts';

const fall = plainConfigHandlers('maker_b', 'fall', fallFields, { adjust: withPosture });
const vitalData = plainConfigHandlers('maker_b', 'vital-data', vitalFields);

export const handler = serve(makerBConfig, {
  getMakerBBasicConfig: async (call, { store }) => {
    const { sensor, values } = await readConfig<StoredBasic>(call, store, 'maker_b', 'basic');
    return { ...newBasic, ...values, name: sensor.name };
  },

  putMakerBBasicConfig: async (call, deps) => {
    const { name, workingMode } = call.body;
    const isFallDetectionOff = !detectsFalls(workingMode);
    const next = { values: { workingMode }, ofSensor: { name, isFallDetectionOff, updateDate: deps.now() } };
    await changeConfig<StoredBasic>(call, deps, { maker: 'maker_b', name: 'basic' }, () => next);
    return { name, workingMode };
  },

  getMakerBFallConfig: fall.get,
  putMakerBFallConfig: fall.put,
  getMakerBVitalDataConfig: vitalData.get,
  putMakerBVitalDataConfig: vitalData.put,
});
