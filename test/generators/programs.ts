/**
 * Programs that use the generated clients. Each reads a sensor, a rule hit and a webhook body from the file BODY, and
 * prints their creation dates.
 */

const java = `
import java.nio.file.*;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.*;
import org.openapitools.client.model.FullPayload;

public class Read {
  public static void main(String[] args) throws Exception {
    Map<String, String> env = System.getenv();
    ApiClient client = new ApiClient();
    client.setBasePath(env.get("BASE"));
    client.addDefaultHeader("Authorization", "Bearer " + env.get("TOKEN"));
    long sensor = new SensorsApi(client).getSensor(env.get("SENSOR")).getCreateDate();
    long customer = Long.parseLong(env.get("CUSTOMER"));
    long hit = new RuleHitsApi(client).getRuleHit(customer, Long.parseLong(env.get("HIT"))).getCreateDate();
    String body = new String(Files.readAllBytes(Paths.get(env.get("BODY"))));
    long event = FullPayload.fromJson(body).getEvent().getCreateDate();
    System.out.printf("{\\"sensor\\":%d,\\"hit\\":%d,\\"event\\":%d}%n", sensor, hit, event);
  }
}
`;

/** Returns a Go program built around one generator's calls, which declare `sensor`, `hit` and `client.FullPayload`. */
const goProgram = (imports: string, calls: string): string => `package main

import (
  client "client"
  "context"
  "encoding/json"
  "fmt"
  "os"
  "strconv"
  ${imports}
)

func check(err error) {
  if err != nil {
    panic(err)
  }
}

func main() {
  ctx := context.Background()
  authorization := "Bearer " + os.Getenv("TOKEN")
  customerId, err := strconv.ParseInt(os.Getenv("CUSTOMER"), 10, 64)
  check(err)
  hitId, err := strconv.ParseInt(os.Getenv("HIT"), 10, 64)
  check(err)
  ${calls}
  text, err := os.ReadFile(os.Getenv("BODY"))
  check(err)
  var body client.FullPayload
  check(json.Unmarshal(text, &body))
  fmt.Printf("{\\"sensor\\":%d,\\"hit\\":%d,\\"event\\":%d}\\n", sensor.CreateDate, hit.CreateDate, body.Event.CreateDate)
}
`;

const go = goProgram(
  '',
  `config := client.NewConfiguration()
  config.Servers = client.ServerConfigurations{{URL: os.Getenv("BASE")}}
  config.AddDefaultHeader("Authorization", authorization)
  api := client.NewAPIClient(config)
  sensor, _, err := api.SensorsAPI.GetSensor(ctx, os.Getenv("SENSOR")).Execute()
  check(err)
  hit, _, err := api.RuleHitsAPI.GetRuleHit(ctx, customerId, hitId).Execute()
  check(err)`,
);

const oapiCodegen = goProgram(
  '"net/http"',
  `authorize := func(_ context.Context, request *http.Request) error {
    request.Header.Set("Authorization", authorization)
    return nil
  }
  api, err := client.NewClientWithResponses(os.Getenv("BASE"), client.WithRequestEditorFn(authorize))
  check(err)
  foundSensor, err := api.GetSensorWithResponse(ctx, os.Getenv("SENSOR"))
  check(err)
  sensor := foundSensor.JSON200
  foundHit, err := api.GetRuleHitWithResponse(ctx, customerId, hitId)
  check(err)
  hit := foundHit.JSON200`,
);

/** Returns a Python program built around one generator's calls, which set `sensor`, `hit` and `event` to dates. */
const pythonProgram = (calls: string): string => `import json, os
env = os.environ
text = open(env["BODY"]).read()
${calls}
print(json.dumps({"sensor": sensor, "hit": hit, "event": event}))
`;

const python = pythonProgram(`from openapi_client import ApiClient, Configuration, FullPayload, RuleHitsApi, SensorsApi
api = ApiClient(Configuration(host=env["BASE"], access_token=env["TOKEN"]))
sensor = SensorsApi(api).get_sensor(env["SENSOR"]).create_date
hit = RuleHitsApi(api).get_rule_hit(int(env["CUSTOMER"]), int(env["HIT"])).create_date
event = FullPayload.from_json(text).event.create_date`);

const openapiPythonClient = pythonProgram(`from client import AuthenticatedClient
from client.api.rule_hits import get_rule_hit
from client.api.sensors import get_sensor
from client.models import FullPayload
api = AuthenticatedClient(base_url=env["BASE"], token=env["TOKEN"])
sensor = get_sensor.sync(env["SENSOR"], client=api).create_date
hit = get_rule_hit.sync(int(env["CUSTOMER"]), int(env["HIT"]), client=api).create_date
event = FullPayload.from_dict(json.loads(text)).event.create_date`);

const datamodelCodeGenerator = pythonProgram(`from urllib.request import Request, urlopen
from models import FullPayload, RuleHit, Sensor
def get(path):
    return urlopen(Request(env["BASE"] + path, headers={"Authorization": "Bearer " + env["TOKEN"]})).read()
sensor = Sensor.model_validate_json(get("/sensors/" + env["SENSOR"])).createDate
hit = RuleHit.model_validate_json(get("/customers/" + env["CUSTOMER"] + "/rule-hits/" + env["HIT"])).createDate
event = FullPayload.model_validate_json(text).event.createDate`);

/** Returns a TypeScript program built around one generator's calls, which declare `sensor`, `hit` and `body`. */
const typescriptProgram = (imports: string, calls: string): string => `import { readFileSync } from 'node:fs';
${imports}
const [BASE = '', TOKEN = '', SENSOR = '', CUSTOMER, HIT, BODY = ''] = process.argv.slice(2);
const headers = { Authorization: \`Bearer \${TOKEN}\` };
const [customerId, ruleHitId] = [Number(CUSTOMER), Number(HIT)];
const read = () => JSON.parse(readFileSync(BODY, 'utf8'));
${calls}
const dates: (number | undefined)[] = [sensor?.createDate, hit?.createDate, body.event.createDate];
console.log(JSON.stringify({ sensor: dates[0], hit: dates[1], event: dates[2] }));
`;

const typescriptFetch = typescriptProgram(
  "import { Configuration, FullPayloadFromJSON, RuleHitsApi, SensorsApi } from './client';",
  `const config = new Configuration({ basePath: BASE, headers });
const sensor = await new SensorsApi(config).getSensor({ sensorId: SENSOR });
const hit = await new RuleHitsApi(config).getRuleHit({ customerId, ruleHitId });
const body = FullPayloadFromJSON(read());`,
);

const openapiTypescript = typescriptProgram(
  "import createClient from 'openapi-fetch';\nimport type { components, paths } from './client';",
  `const api = createClient<paths>({ baseUrl: BASE, headers });
const { data: sensor } = await api.GET('/sensors/{sensorId}', { params: { path: { sensorId: SENSOR } } });
const path = { customerId, ruleHitId };
const { data: hit } = await api.GET('/customers/{customerId}/rule-hits/{ruleHitId}', { params: { path } });
const body: components['schemas']['FullPayload'] = read();`,
);

const heyApi = typescriptProgram(
  "import { type FullPayload, getRuleHit, getSensor } from './client';\nimport { client } from './client/client.gen';",
  `client.setConfig({ baseUrl: BASE, headers });
const { data: sensor } = await getSensor({ path: { sensorId: SENSOR } });
const { data: hit } = await getRuleHit({ path: { customerId, ruleHitId } });
const body: FullPayload = read();`,
);

const orval = typescriptProgram(
  "import { type FullPayload, getRuleHit, getSensor } from './client';",
  `const foundSensor = await getSensor(SENSOR, { headers });
const sensor = foundSensor.status === 200 ? foundSensor.data : undefined;
const foundHit = await getRuleHit(customerId, ruleHitId, { headers });
const hit = foundHit.status === 200 ? foundHit.data : undefined;
const body: FullPayload = read();`,
);

export const programs = {
  java,
  go,
  oapiCodegen,
  python,
  openapiPythonClient,
  datamodelCodeGenerator,
  typescriptFetch,
  openapiTypescript,
  heyApi,
  orval,
} as const;
