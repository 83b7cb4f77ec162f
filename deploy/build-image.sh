#!/bin/sh
# Builds the server into the folder $1: the bundle, and the libraries with native parts.
set -eu
cd "$(dirname "$0")/.."
target=$1

npm install --no-audit --no-fund
node node_modules/typescript/bin/tsc -b
node --input-type=module --eval 'await (await import("./scripts/bundle.mjs")).bundle("apps/server")'

mkdir -p "$target"
cp -r apps/server/bundle "$target/bundle"
# The tested versions, built for this machine, without their sources.
for library in better-sqlite3 bindings file-uri-to-path @node-rs; do
  mkdir -p "$target/node_modules/$(dirname "$library")"
  cp -r "node_modules/$library" "$target/node_modules/$library"
done
rm -rf "$target/node_modules/better-sqlite3/deps" "$target/node_modules/better-sqlite3/src"
find "$target/node_modules/better-sqlite3/build" -type f ! -name better_sqlite3.node -delete
