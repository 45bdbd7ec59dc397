/** Counts the steps that are taken through a JSON document. */

export class TooManySteps extends Error {
  override readonly name = 'TooManySteps';
}

export interface CountedDocument {
  /** Behaves as the value does; throws TooManySteps once `mostSteps` looks were taken into arrays and objects. */
  readonly root: unknown;
  /** The value itself behind one that was found by way of `root`. */
  readonly plain: (value: unknown) => unknown;
}

export function countSteps(value: unknown, mostSteps: number): CountedDocument {
  let left = mostSteps;
  const walk = (steps: number) => {
    left -= steps;
    if (left < 0) throw new TooManySteps();
  };
  const proxies = new WeakMap<object, object>();
  const values = new WeakMap<object, object>();
  const wrap = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    const known = proxies.get(part);
    if (known !== undefined) return known;
    const proxy = new Proxy(part, handler);
    proxies.set(part, proxy);
    values.set(proxy, part);
    return proxy;
  };
  const handler: ProxyHandler<object> = {
    get: (target, key) => {
      walk(1);
      return wrap(Reflect.get(target, key));
    },
    has: (target, key) => {
      walk(1);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor: (target, key) => {
      walk(1);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys: (target) => {
      const keys = Reflect.ownKeys(target);
      walk(1 + keys.length);
      return keys;
    },
  };
  return {
    root: wrap(value),
    plain: (part) => (typeof part === 'object' && part !== null ? values.get(part) : part),
  };
}
