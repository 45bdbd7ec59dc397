/** Serves the description of all routes. */
import { jsonType } from '../http-types.ts';
import { openapiOf } from '../openapi/document.ts';
import { rendered } from '../responses/send.ts';
import { route, type Route } from './route.ts';
import { object, text } from './schema.ts';

/** It changes with the program and its configuration, and then everything that is kept is forgotten. */
const maxAgeMs = 3_600_000;

/** `all` answers every route, this one included. */
export function openapiRoute(all: () => readonly Route[]): Route {
  return route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This description of the API',
    parameters: {},
    access: 'anyone',
    limit: null,
    answers: {
      200: {
        doc: 'An OpenAPI 3.1 document.',
        schema: { ...object({ openapi: text }), additionalProperties: {} },
      },
      304: { doc: 'The client has the current version already.', types: [] },
    },
    problems: [],
    handle: ({ scope, headers: asked, version, site }) => {
      const document = scope.kept('openapi', {
        maxAgeMs,
        labels: () => {
          return { contentType: jsonType, headers: { 'cache-control': 'public, max-age=60' }, isKept: true };
        },
        build: () => {
          const server = site.base === '' ? '/' : site.base;
          return Promise.resolve(Buffer.from(JSON.stringify(openapiOf(all(), { version, server }))));
        },
      });
      return rendered(document, asked);
    },
  });
}
