import { serve } from '#shared/api/serve.ts';
import { firmware } from './contract.ts';

export const handler = serve(firmware, {
  listMakerAFirmwares: async (_, { store }) => store.firmwares.list('maker_a'),

  listFirmwares: async ({ params }, { store }) => store.firmwares.list(params.manufacturer),

  createFirmware: async ({ params, body, fail }, { store, now }) => {
    const created = { ...body, manufacturer: params.manufacturer, createDate: now() };
    return (await store.firmwares.create(created)) ? created : fail('firmware_exists');
  },

  deleteFirmware: async ({ params: { manufacturer, versionCode }, fail }, { store }) => {
    const result = await store.firmwares.remove(manufacturer, versionCode);
    if (result === 'gone') return fail('firmware_not_found');
    return result === 'in_use' ? fail('firmware_in_use') : { status: 'OK' };
  },

  setDefaultFirmware: async ({ params: { manufacturer, versionCode }, fail }, { store }) => {
    const found = (await store.firmwares.get(manufacturer, versionCode)) ?? fail('firmware_not_found');
    // The firmware may have been deleted since it was read.
    const isSet = await store.firmwares.setDefault(manufacturer, versionCode);
    return isSet ? { ...found, isDefault: true } : fail('firmware_not_found');
  },
});
