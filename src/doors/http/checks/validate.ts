// Checks requests against their schemas and says in one sentence which field is wrong and what is allowed.
// Bodies are taken as they are; what comes in an address or a header is text, so whole numbers are read there.

import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { BantoError } from '../../../core/errors.ts';

interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

interface Problem {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
}

const PLACES: Readonly<Record<string, string>> = {
  body: 'field',
  querystring: 'query parameter',
  params: 'path parameter',
  headers: 'header',
};
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d{0,15})$/;

function readNumbers(shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const read = { ...value } as Record<string, unknown>;
  for (const [name, { type }] of Object.entries(shape.properties ?? {})) {
    const text = read[name];
    if (type === 'integer' && typeof text === 'string' && WHOLE_NUMBER.test(text)) {
      read[name] = Number(text);
    }
  }
  return read;
}

function quoted(name: string): string {
  return `\`${JSON.stringify(name.slice(0, 60)).slice(1, -1)}\``;
}

function follow(shape: Shape | undefined, step: string): Shape | undefined {
  return shape?.items ?? shape?.properties?.[step];
}

function expected(shape: Shape | undefined): string {
  return shape?.description === undefined ? '' : ` Expected: ${shape.description}.`;
}

function sentence(shape: Shape, place: string, problems: readonly Problem[]): string {
  const names = Object.keys(shape.properties ?? {});
  const unknown = problems.find(({ keyword }) => keyword === 'additionalProperties');
  if (unknown !== undefined) {
    const [name = ''] = (unknown.params as { additionalProperties: string[] }).additionalProperties;
    const allowed = names.length === 0 ? 'none is allowed here' : `allowed are ${names.join(', ')}`;
    return `Unknown ${place} ${quoted(name)}; ${allowed}.`;
  }
  const [problem] = problems;
  if (problem?.keyword === 'required' && problem.instancePath === '') {
    const [name = ''] = (problem.params as { requiredProperties: string[] }).requiredProperties;
    return `The ${place} ${quoted(name)} is missing.${expected(shape.properties?.[name])}`;
  }
  const steps = problem?.instancePath.split('/').slice(1) ?? [];
  if (steps.length === 0) return 'The body must be a JSON object.';
  const at = steps.reduce<Shape | undefined>(follow, shape);
  const path = steps.reduce((all, step) => (/^\d+$/.test(step) ? `${all}[${step}]` : step), '');
  return `The ${place} ${quoted(path)} is not valid.${expected(at)}`;
}

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({
  schema,
  httpPart = 'body',
}) => {
  const check = Compile(schema);
  const shape = schema as Shape;
  return (given: unknown) => {
    // No body at all is an empty one: the missing field is then named.
    const value = httpPart === 'body' ? (given ?? {}) : readNumbers(shape, given);
    if (check.Check(value)) return { value };
    const place = PLACES[httpPart] ?? 'field';
    return {
      error: new BantoError('invalid_request', sentence(shape, place, check.Errors(value))),
    };
  };
};
