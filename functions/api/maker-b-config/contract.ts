import * as z from 'zod';
import { configOperations } from '#shared/api/device/config-operations.ts';
import { group } from '#shared/api/operation.ts';
import { schemaOf } from '#shared/domain/config/field.ts';
import { basicFields, fallFields, vitalFields } from '#shared/domain/makers/maker-b/config.ts';

/** Sensor ids from this maker have exactly 12 characters. */
const common = {
  maker: 'maker_b',
  params: z.object({ sensorId: z.string().length(12) }),
} as const;
/** The O21 body and response. An upper rate must not be below the lower rate. */
const VitalData = schemaOf(vitalFields)
  .check(({ value, issues }) => {
    // Invalid rates cannot be compared.
    if (issues.length > 0) return;
    for (const rate of ['respirationRate', 'heartRate'] as const)
      if (value[`${rate}Upper`] < value[`${rate}Lower`])
        issues.push({ code: 'custom', input: value, path: [`${rate}Upper`], params: { key: 'rate_order' } });
  })
  .meta({ id: 'MakerBVitalDataConfig' });

const bodyAndResponse = <S>(schema: S) => ({ body: schema, response: schema });

const basic = configOperations({
  ...common,
  name: 'basic',
  may: 'manage_sensors',
  ...bodyAndResponse(schemaOf(basicFields).meta({ id: 'MakerBBasicConfig' })),
});
const fall = configOperations({
  ...common,
  name: 'fall',
  may: 'manage_sensors',
  ...bodyAndResponse(schemaOf(fallFields).meta({ id: 'MakerBFallConfig' })),
});
const vitalData = configOperations({
  ...common,
  name: 'vital-data',
  may: 'manage_sensors',
  ...bodyAndResponse(VitalData),
});

export const makerBConfig = group({
  name: 'maker-b-config',
  about: 'Configurations of maker B sensors',
  operations: {
    getMakerBBasicConfig: basic.get,
    putMakerBBasicConfig: basic.put,
    getMakerBFallConfig: fall.get,
    putMakerBFallConfig: fall.put,
    getMakerBVitalDataConfig: vitalData.get,
    putMakerBVitalDataConfig: vitalData.put,
  },
});
