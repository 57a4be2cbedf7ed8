import { startElsewhere, startOnDynoxide } from '../fixtures/cloud.ts';
import { useEngineAt } from '../fixtures/dynoxide.ts';
import { address } from './address.ts';

if (address) useEngineAt(address);
startElsewhere(startOnDynoxide);
