import json
from pathlib import Path
RECORDS = Path(__file__).parents[1] / "results" / "streams.jsonl"
def read_records(path=RECORDS):
    return [json.loads(l) for l in path.read_text().splitlines()] if path.exists() else []
def write_page(): pass
