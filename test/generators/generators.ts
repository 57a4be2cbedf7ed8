import { programs } from './programs.ts';

/** A client generator. Commands are shell commands that run in the client folder. TOOLS and ROOT are folders. */
type Generator = {
  name: string;
  version: string;
  /** Commands that must be installed. */
  needs: readonly string[];
  /** Installs the generator in TOOLS, a persistent folder. */
  install: string;
  /** Generates the client from DOCUMENT. */
  generate: string;
  compile: string;
  /** The program that uses the client, and the file to write it to. */
  program: string;
  file: string;
  run: string;
};

const OPENAPI_GENERATOR = '7.26.0';
/** Creates a Python virtual environment with the packages for a generator and the generated client. */
const pip = (name: string, packages: string): string =>
  `python3 -m venv "$TOOLS/${name}" && "$TOOLS/${name}/bin/pip" install --quiet ${packages}`;
/** Fails if the libraries needed to compile a client cannot be downloaded. */
const reach = (url: string): string => `curl --silent --fail --head --max-time 30 --output /dev/null ${url}`;
const MAVEN = 'https://repo.maven.apache.org/maven2/junit/junit/4.13.2/junit-4.13.2.pom';
const GO_MODULES = 'https://proxy.golang.org/golang.org/x/mod/@v/list';
const npm = (packages: string): string => `npm install --prefix "$TOOLS/npm" --no-audit --no-fund ${packages}`;

const openapiGenerator = (language: string, options = '') => ({
  version: OPENAPI_GENERATOR,
  install: pip('openapi-generator', `openapi-generator-cli==${OPENAPI_GENERATOR}`),
  generate: `java -jar "$(find "$TOOLS/openapi-generator" -name openapi-generator.jar)" generate -i "$DOCUMENT" -g ${language} ${options}`,
});

const typescript = {
  file: 'read.ts',
  compile:
    'ln -sfn "$ROOT/node_modules" node_modules && node node_modules/typescript/bin/tsc --noEmit --strict --target es2022 ' +
    '--module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable --types node read.ts',
  run: 'node_modules/.bin/esbuild read.ts --bundle --platform=node --format=esm --outfile=read.mjs --log-level=error && node read.mjs "$BASE" "$TOKEN" "$SENSOR" "$CUSTOMER" "$HIT" "$BODY"',
};

const goModule = {
  file: 'read/main.go',
  run: 'go run ./read',
};

const pythonWith = (name: string) => ({ file: 'read.py', run: `"$TOOLS/${name}/bin/python" read.py` });

export const generators: readonly Generator[] = [
  {
    name: 'openapi-generator, Java (default library)',
    ...openapiGenerator(
      'java',
      '-o . --global-property apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false',
    ),
    install: `${openapiGenerator('java').install} && ${reach(MAVEN)}`,
    needs: ['java', 'mvn', 'python3', 'curl'],
    compile: 'mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=classpath',
    program: programs.java,
    file: 'src/main/java/Read.java',
    run: 'java -cp "target/classes:$(cat classpath)" Read',
  },
  {
    name: 'openapi-generator, Go',
    ...openapiGenerator('go', '-o . && rm -rf test go.mod go.sum && go mod init client'),
    install: `${openapiGenerator('go').install} && ${reach(GO_MODULES)}`,
    needs: ['java', 'go', 'python3', 'curl'],
    compile: 'go mod tidy && go build ./...',
    program: programs.go,
    ...goModule,
  },
  {
    name: 'openapi-generator, Python',
    ...openapiGenerator('python', '-o .'),
    install: `${openapiGenerator('python').install} && "$TOOLS/openapi-generator/bin/pip" install --quiet urllib3 python-dateutil pydantic typing-extensions`,
    needs: ['java', 'python3'],
    compile: '"$TOOLS/openapi-generator/bin/python" -c "from openapi_client.models import *"',
    program: programs.python,
    ...pythonWith('openapi-generator'),
  },
  {
    name: 'openapi-generator, TypeScript (`typescript-fetch`)',
    ...openapiGenerator('typescript-fetch', '-o client'),
    needs: ['java', 'python3'],
    program: programs.typescriptFetch,
    ...typescript,
  },
  {
    name: 'oapi-codegen, Go',
    version: '2.8.2',
    needs: ['go'],
    install: 'GOBIN="$TOOLS/bin" go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
    generate:
      '"$TOOLS/bin/oapi-codegen" -generate types,client -package client -o client.go "$DOCUMENT" && go mod init client',
    compile: 'go mod tidy && go build ./...',
    program: programs.oapiCodegen,
    ...goModule,
  },
  {
    name: 'openapi-typescript, TypeScript',
    version: '7.13.0',
    needs: [],
    install: 'test -x "$ROOT/node_modules/.bin/openapi-typescript"',
    generate: '"$ROOT/node_modules/.bin/openapi-typescript" "$DOCUMENT" -o client.ts',
    program: programs.openapiTypescript,
    ...typescript,
  },
  {
    name: '@hey-api/openapi-ts, TypeScript',
    version: '0.99.0',
    needs: ['npm'],
    install: npm('@hey-api/openapi-ts@0.99.0 typescript@5.9.3 orval@8.38.0'),
    generate: '"$TOOLS/npm/node_modules/.bin/openapi-ts" -i "$DOCUMENT" -o client',
    program: programs.heyApi,
    ...typescript,
  },
  {
    name: 'orval, TypeScript (`fetch`)',
    version: '8.38.0',
    needs: ['npm'],
    install: npm('@hey-api/openapi-ts@0.99.0 typescript@5.9.3 orval@8.38.0'),
    generate:
      "echo \"export default { api: { input: '$DOCUMENT', output: { target: 'client.ts', client: 'fetch', " +
      'baseUrl: \'$BASE\' } } }" > orval.config.mjs && "$TOOLS/npm/node_modules/.bin/orval" --config orval.config.mjs',
    program: programs.orval,
    ...typescript,
  },
  {
    name: 'openapi-python-client, Python',
    version: '0.29.1',
    needs: ['python3'],
    install: pip('openapi-python-client', 'openapi-python-client==0.29.1'),
    generate:
      '"$TOOLS/openapi-python-client/bin/openapi-python-client" generate --path "$DOCUMENT" --meta none --output-path client',
    compile: '"$TOOLS/openapi-python-client/bin/python" -m compileall -q client',
    program: programs.openapiPythonClient,
    ...pythonWith('openapi-python-client'),
  },
  {
    name: 'datamodel-code-generator, Python (models)',
    version: '0.89.0',
    needs: ['python3'],
    install: pip('datamodel-code-generator', 'datamodel-code-generator==0.89.0'),
    generate:
      '"$TOOLS/datamodel-code-generator/bin/datamodel-codegen" --input "$DOCUMENT" --input-file-type openapi ' +
      '--output models.py --output-model-type pydantic_v2.BaseModel',
    compile: '"$TOOLS/datamodel-code-generator/bin/python" -c "import models"',
    program: programs.datamodelCodeGenerator,
    ...pythonWith('datamodel-code-generator'),
  },
];
