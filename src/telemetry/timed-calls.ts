// The same object with a clock around each of its calls.

export interface CallTimes {
  observe(call: string, seconds: number): void;
  failed(call: string, error: unknown): void;
}

type Call = (...args: unknown[]) => unknown;

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value;

function timed(call: Call, name: string, times: CallTimes): Call {
  return (...args) => {
    const startedAt = performance.now();
    const result = call(...args);
    // What answers at once is no call to the outside.
    if (!isPromise(result)) return result;
    return result.then(
      (value) => {
        times.observe(name, (performance.now() - startedAt) / 1000);
        return value;
      },
      (error: unknown) => {
        times.observe(name, (performance.now() - startedAt) / 1000);
        times.failed(name, error);
        throw error;
      },
    );
  };
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Getters and what is no function stay as they are; so do the calls named in `except`. */
export function timedCalls<T extends object>(
  target: T,
  times: CallTimes,
  except: readonly (keyof T)[] = [],
): T {
  const properties = Object.getOwnPropertyDescriptors(target) as Record<string, PropertyDescriptor>;
  for (const [name, property] of Object.entries(properties)) {
    const value: unknown = property.value;
    if (typeof value !== 'function' || except.includes(name as keyof T)) continue;
    properties[name] = { ...property, value: timed(value as Call, snake(name), times) };
  }
  return Object.defineProperties({}, properties) as T;
}
