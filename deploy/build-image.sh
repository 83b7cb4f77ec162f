#!/bin/sh
# Builds what the server needs to run, and nothing else, into the folder $1: compiled packages and the libraries they use.
set -eu
cd "$(dirname "$0")/.."
target=$1

npm install --no-audit --no-fund
node node_modules/typescript/bin/tsc -b

mkdir -p "$target"
cp package.json package-lock.json "$target/"
for workspace in apps/server packages/*; do
  case $workspace in packages/testing | packages/test-services) continue ;; esac
  mkdir -p "$target/$workspace"
  cp "$workspace/package.json" "$target/$workspace/"
  cp -r "$workspace/dist" "$target/$workspace/dist"
done

cd "$target"
npm install --no-save --no-audit --no-fund --omit=dev --workspace=apps/server
# Types, source maps and sources are for developers.
find . -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '.tsbuildinfo' | xargs rm -f
find node_modules/effect node_modules/@effect -type d -name src -prune -exec rm -rf {} +
