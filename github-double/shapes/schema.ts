// Judges answers of the double by the schemas cut from GitHub's own description.

import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

interface Operation {
  readonly notifies: boolean;
  readonly request: Schema | null;
  readonly responses: Readonly<Record<string, Schema | null>>;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: unknown;
}

interface Cut {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

const file = new URL('./github-schemas.json', import.meta.url);
export const cut = JSON.parse(readFileSync(file, 'utf8')) as Cut;

const ajv = new Ajv({ strict: false, allErrors: true });
// The default export of a CommonJS module, as Node and TypeScript see it.
(addFormats as unknown as (to: Ajv) => void)(ajv);
const ROOT = 'https://github.example/schemas';
ajv.addSchema({ ...cut, $id: ROOT });
const compiled = new Map<string, ValidateFunction>();

/** `path` leads from the root of the fixture to the schema. */
function faults(name: string, path: readonly string[], schema: Schema, value: unknown): string[] {
  const steps = path.map((step) => encodeURIComponent(step.replaceAll('/', '~1')));
  const pointer = `${ROOT}#/${steps.join('/')}`;
  const known = compiled.get(pointer) ?? ajv.compile({ $ref: pointer });
  compiled.set(pointer, known);
  if (known(value)) return strangers(schema, value, name);
  return (known.errors ?? []).map((error) => `${name}${error.instancePath} ${error.message}`);
}

/** Keys that GitHub's description does not know, as deep as it is unambiguous. */
function strangers(schema: Schema, value: unknown, at: string): string[] {
  const name = schema.$ref?.slice('#/definitions/'.length);
  const target = name === undefined ? schema : (cut.definitions[name] ?? {});
  const choices = (target.anyOf ?? target.oneOf ?? []).filter((one) => one.type !== 'null');
  if (target.allOf !== undefined || choices.length > 1) return [];
  const [only] = choices;
  if (only !== undefined) return strangers(only, value, at);
  const { items, properties } = target;
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.flatMap((one) => strangers(items, one, `${at}[]`));
  }
  if (properties === undefined || value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = properties[key];
    if (known !== undefined) return strangers(known, inner, `${at}.${key}`);
    // GitHub sends its status in every refusal; its description knows it only of some.
    if (name?.startsWith('validation-error') === true && key === 'status') return [];
    return target.additionalProperties === undefined ? [`${at}.${key} is not GitHub's`] : [];
  });
}

/** What is wrong with an answer; nothing, if GitHub could have given it. */
export function wrongAnswer(operation: string, status: number, body: unknown): string[] {
  const known = cut.operations[operation];
  if (known === undefined) return [`GitHub has no ${operation}`];
  const schema = known.responses[status];
  const name = `${operation} ${status}`;
  if (status === 204) return body === '' ? [] : [`${name} has no body`];
  if (schema === undefined && (status < 400 || status === 422)) return [`there is no ${name}`];
  const path = ['operations', operation, 'responses', `${status}`];
  if (schema) return faults(name, path, schema, body);
  // Refusals that hold for every endpoint (401, 403, rate limits, …) are not described at each.
  return faults(name, ['definitions', 'basic-error'], { $ref: '#/definitions/basic-error' }, body);
}

export function wrongRequest(operation: string, body: unknown): string[] {
  const schema = cut.operations[operation]?.request ?? null;
  if (schema === null || body === null) return [];
  return faults(`${operation} body`, ['operations', operation, 'request'], schema, body);
}
