import * as z from 'zod';
import { configPair } from '../../../shared/api/config-pair.ts';
import { group } from '../../../shared/api/operation.ts';
import { schemaOf } from '../../../shared/domain/config/field.ts';
import { basicFields, fallFields, VitalData } from '../../../shared/domain/makers/maker-b/config.ts';

/** The sensor ids of this maker have exactly 12 characters. */
const common = {
  maker: 'maker_b',
  may: 'manage_sensors',
  params: z.object({ sensorId: z.string().length(12) }),
} as const;
const same = <S>(schema: S) => ({ body: schema, response: schema });

const basic = configPair({
  ...common,
  name: 'basic',
  ...same(schemaOf(basicFields).meta({ id: 'MakerBBasicConfig' })),
});
const fall = configPair({ ...common, name: 'fall', ...same(schemaOf(fallFields).meta({ id: 'MakerBFallConfig' })) });
const vitalData = configPair({ ...common, name: 'vital-data', ...same(VitalData) });

export const makerBConfig = group({
  name: 'maker-b-config',
  operations: {
    getMakerBBasicConfig: basic.get,
    putMakerBBasicConfig: basic.put,
    getMakerBFallConfig: fall.get,
    putMakerBFallConfig: fall.put,
    getMakerBVitalDataConfig: vitalData.get,
    putMakerBVitalDataConfig: vitalData.put,
  },
});
