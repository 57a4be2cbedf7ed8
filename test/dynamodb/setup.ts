import { startOnDynoxide, useOtherStart } from '../fixtures/cloud.ts';
import { useEngineAt } from '../fixtures/dynoxide.ts';
import { address } from './address.ts';

if (address) useEngineAt(address);
useOtherStart(startOnDynoxide);
