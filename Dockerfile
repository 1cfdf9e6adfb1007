# The server. Two stages: build from the sources and pack; install what was packed.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm pack --pack-destination /packed

FROM node:24-bookworm-slim
# git: for the local backlog. It is not used with GitHub.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /packed/*.tgz /tmp/
RUN npm install --global --omit=dev /tmp/*.tgz \
  && npm cache clean --force \
  && rm -rf /tmp/* /root/.npm \
  && install -d -m 0700 -o node -g node /data

USER node
WORKDIR /data
# Reached from outside the container, so that tokens are needed: banto token create --operator
ENV NODE_ENV=production \
  NODE_DISABLE_COMPILE_CACHE=1 \
  BROKER_HOST=0.0.0.0 \
  BROKER_PORT=8080 \
  BANTO_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.BROKER_PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["banto"]
CMD ["serve"]
